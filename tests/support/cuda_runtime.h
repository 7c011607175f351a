/* What a host's part of a CUDA file uses of CUDA's runtime, forwarded to functions of whoever loads it. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <stddef.h>

/* Numbers as in CUDA's driver_types.h. */
enum cudaError_t {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInitializationError = 3,
    cudaErrorInsufficientDriver = 35, cudaErrorDevicesUnavailable = 46, cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100, cudaErrorInvalidKernelImage = 200, cudaErrorNoKernelImageForDevice = 209,
    cudaErrorUnsupportedPtxVersion = 222, cudaErrorIllegalAddress = 700, cudaErrorLaunchFailure = 719,
    cudaErrorSystemDriverMismatch = 803
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef struct CUstream_st *cudaStream_t;

/* Kernels are known by their names: a kernel's address is that of its name. */
extern "C" {
extern struct cuda_hooks {
    int (*device)(int *number);
    int (*attribute)(int *value, int number, int device);
    int (*kernel)(const char *name);
    int (*opt_in)(const char *name, int attribute, int value);
    int (*allocate)(void **address, size_t bytes);
    int (*release)(void *address);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*pointer)(const void *address, int *type, int *device);
    int (*launch)(const char *name, const unsigned *grid, const unsigned *block, void **args, size_t shared, void *stream);
    int (*wait)(void);
} hooks;
}

static inline cudaError_t cudaGetDevice(int *number) { return (cudaError_t)hooks.device(number); }
static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr number, int device)
{
    return (cudaError_t)hooks.attribute(value, number, device);
}
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *found, const void *kernel)
{
    found->sharedSizeBytes = 0;
    return (cudaError_t)hooks.kernel((const char *)kernel);
}
static inline cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    return (cudaError_t)hooks.opt_in((const char *)kernel, attribute, value);
}
static inline cudaError_t cudaMalloc(void **address, size_t bytes) { return (cudaError_t)hooks.allocate(address, bytes); }
static inline cudaError_t cudaFree(void *address) { return (cudaError_t)hooks.release(address); }
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return (cudaError_t)hooks.copy(to, from, bytes, kind);
}
static inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *found, const void *address)
{
    int type = 0;
    const cudaError_t error = (cudaError_t)hooks.pointer(address, &type, &found->device);
    found->type = (cudaMemoryType)type;
    return error;
}
static inline cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    const unsigned blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
    return (cudaError_t)hooks.launch((const char *)kernel, blocks, threads, args, shared, stream);
}
static inline const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an error"; }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return (cudaError_t)hooks.wait(); }

#endif
