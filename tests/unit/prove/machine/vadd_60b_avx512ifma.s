# vadd_60b_avx512ifma_execute as gcc translates it.
    .text
    .type    by_1.isra.0, @function
by_1.isra.0:
    testq    %r8, %r8
    je    .L13
    xorl    %r10d, %r10d
    testb    $1, %r8b
    je    .L3
    movq    (%rdx), %rax
    movl    $1, %r10d
    addq    (%rsi), %rax
    movq    %rax, %r9
    subq    %rcx, %r9
    cmovcq    %rax, %r9
    movq    %r9, (%rdi)
    cmpq    %r8, %r10
    je    .L15
    .p2align 4,,10
    .p2align 3
.L3:
    movq    (%rdx,%r10,8), %rax
    leaq    1(%r10), %r11
    addq    (%rsi,%r10,8), %rax
    movq    %rax, %r9
    subq    %rcx, %r9
    cmovcq    %rax, %r9
    movq    %r9, (%rdi,%r10,8)
    addq    $2, %r10
    movq    (%rdx,%r11,8), %rax
    addq    (%rsi,%r11,8), %rax
    movq    %rax, %r9
    subq    %rcx, %r9
    cmovcq    %rax, %r9
    movq    %r9, (%rdi,%r11,8)
    cmpq    %r8, %r10
    jne    .L3
.L13:
    ret
.L15:
    ret
    .size    by_1.isra.0, .-by_1.isra.0

    .globl    vadd_60b_avx512ifma_execute
    .type    vadd_60b_avx512ifma_execute, @function
vadd_60b_avx512ifma_execute:
    testq    %rdi, %rdi
    je    .L40
    testq    %r8, %r8
    je    .L53
    testq    %rcx, %rcx
    movq    %rdx, %r9
    movq    %rcx, %rdx
    movq    %rsi, %r10
    sete    %al
    testq    %rsi, %rsi
    sete    %cl
    orb    %cl, %al
    jne    .L40
    testq    %r9, %r9
    je    .L40
    movq    (%rdi), %r11
    movq    %r8, %rsi
    xorl    %eax, %eax
    xorl    %ecx, %ecx
    shrq    $3, %rsi
    vpbroadcastq    %r11, %zmm2
    je    .L34
    testb    $1, %sil
    je    .L36
    vmovdqu64    (%rdx), %zmm0
    movl    $1, %ecx
    movl    $64, %eax
    vpaddq    (%r9), %zmm0, %zmm0
    vpsubq    %zmm2, %zmm0, %zmm1
    vpminuq    %zmm1, %zmm0, %zmm0
    vmovdqu64    %zmm0, (%r10)
    cmpq    $1, %rsi
    je    .L50
    .p2align 4,,10
    .p2align 3
.L36:
    vmovdqu64    (%rdx,%rax), %zmm0
    vpaddq    (%r9,%rax), %zmm0, %zmm0
    addq    $2, %rcx
    vpsubq    %zmm2, %zmm0, %zmm1
    vpminuq    %zmm1, %zmm0, %zmm0
    vmovdqu64    %zmm0, (%r10,%rax)
    vmovdqu64    64(%rdx,%rax), %zmm0
    vpaddq    64(%r9,%rax), %zmm0, %zmm0
    vpsubq    %zmm2, %zmm0, %zmm1
    vpminuq    %zmm1, %zmm0, %zmm0
    vmovdqu64    %zmm0, 64(%r10,%rax)
    subq    $-128, %rax
    cmpq    %rcx, %rsi
    jne    .L36
.L50:
    andl    $7, %r8d
    jne    .L56
    vzeroupper
.L53:
    xorl    %eax, %eax
    ret
    .p2align 4,,10
    .p2align 3
.L40:
    movl    $4, %eax
    ret
    .p2align 4,,10
    .p2align 3
.L56:
    movq    (%rdi), %r11
.L34:
    pushq    %rbp
    salq    $6, %rsi
    movq    %r11, %rcx
    addq    %rsi, %r9
    addq    %rsi, %rdx
    leaq    (%r10,%rsi), %rdi
    movq    %r9, %rsi
    movq    %rsp, %rbp
    andq    $-64, %rsp
    call    by_1.isra.0
    xorl    %eax, %eax
    leave
    ret
    .size    vadd_60b_avx512ifma_execute, .-vadd_60b_avx512ifma_execute
    .section    .note.GNU-stack,"",@progbits
