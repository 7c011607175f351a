"""The kinds of kernels on the rows of RNS bases: conversion, rescaling, ModDown and key switching."""
