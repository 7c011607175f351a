// gnark-crypto's transforms over the scalar fields of BN254 and BLS12-381, in one thread, in place on elements in Montgomery form.
package main

// #include <stdint.h>
import "C"

import (
	"encoding/binary"
	"runtime/cgo"
	"slices"
	"unsafe"

	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	bls12381fft "github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"
	bn254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	bn254fft "github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
)

// words is the number of 64-bit words of an element of both fields.
const words = 4

// A plan transforms n elements that it holds.
type plan struct {
	n     int
	load  func(i int, bigEndian []byte)
	run   func()
	store func(i int) [words]uint64
}

func planBN254(n int, inverse bool) *plan {
	domain, v := bn254fft.NewDomain(uint64(n)), make([]bn254.Element, n)
	run := func() { domain.FFT(v, bn254fft.DIF, bn254fft.WithNbTasks(1)) }
	if inverse {
		run = func() { domain.FFTInverse(v, bn254fft.DIT, bn254fft.WithNbTasks(1)) }
	}
	return &plan{n, func(i int, b []byte) { v[i].SetBytes(b) }, run, func(i int) [words]uint64 { return v[i].Bits() }}
}

func planBLS12381(n int, inverse bool) *plan {
	domain, v := bls12381fft.NewDomain(uint64(n)), make([]bls12381.Element, n)
	run := func() { domain.FFT(v, bls12381fft.DIF, bls12381fft.WithNbTasks(1)) }
	if inverse {
		run = func() { domain.FFTInverse(v, bls12381fft.DIT, bls12381fft.WithNbTasks(1)) }
	}
	return &plan{n, func(i int, b []byte) { v[i].SetBytes(b) }, run, func(i int) [words]uint64 { return v[i].Bits() }}
}

// The fields, with their moduli in big-endian bytes.
var fields = []struct {
	modulus []byte
	create  func(n int, inverse bool) *plan
}{
	{bn254.Modulus().FillBytes(make([]byte, 8*words)), planBN254},
	{bls12381.Modulus().FillBytes(make([]byte, 8*words)), planBLS12381},
}

// wordsAt returns count words at an address as a slice.
func wordsAt(at *C.uint64_t, count int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(at)), count)
}

// modulusWords returns a modulus in big-endian bytes as words, the least significant one first.
func modulusWords(bigEndian []byte) []uint64 {
	found := make([]uint64, 0, words)
	for end := len(bigEndian); end > 0; end -= 8 {
		found = append(found, binary.BigEndian.Uint64(bigEndian[end-8:end]))
	}
	return found
}

//export gnark_plan
func gnark_plan(kernel *C.char, n, count C.uint64_t, q, root *C.uint64_t) C.uintptr_t {
	name := C.GoString(kernel)
	if count != words || (name != "ntt" && name != "intt") {
		return 0
	}
	for _, field := range fields {
		if slices.Equal(modulusWords(field.modulus), wordsAt(q, words)) {
			return C.uintptr_t(cgo.NewHandle(field.create(int(n), name == "intt")))
		}
	}
	return 0
}

func planOf(handle C.uintptr_t) *plan { return cgo.Handle(handle).Value().(*plan) }

//export gnark_free
func gnark_free(handle C.uintptr_t) { cgo.Handle(handle).Delete() }

//export gnark_load
func gnark_load(handle C.uintptr_t, a, x, y *C.uint64_t) {
	p := planOf(handle)
	for i := range p.n {
		bytes := make([]byte, 0, 8*words)
		for _, word := range slices.Backward(wordsAt(x, words*p.n)[words*i : words*(i+1)]) {
			bytes = binary.BigEndian.AppendUint64(bytes, word)
		}
		p.load(i, bytes)
	}
}

//export gnark_run
func gnark_run(z *C.uint64_t, handle C.uintptr_t) { planOf(handle).run() }

//export gnark_store
func gnark_store(z *C.uint64_t, handle C.uintptr_t) {
	p := planOf(handle)
	for i := range p.n {
		value := p.store(i)
		copy(wordsAt(z, words*p.n)[words*i:], value[:])
	}
}

func main() {}
