# vmul_124b_c_execute as gcc translates it.
    .text
    .type    by_1, @function
by_1:
    pushq    %r15
    movq    %rcx, %rax
    pushq    %r14
    pushq    %r13
    pushq    %r12
    pushq    %rbp
    pushq    %rbx
    movq    (%rcx), %r13
    movq    8(%rcx), %rcx
    movq    24(%rax), %r15
    movq    %rcx, -24(%rsp)
    movq    16(%rax), %rcx
    movq    %r8, -16(%rsp)
    movq    %rcx, -40(%rsp)
    testq    %r8, %r8
    je    .L1
    movq    %rdi, %rbx
    xorl    %edi, %edi
    movq    %r15, -32(%rsp)
    movq    %rsi, %rbp
    movq    %rdx, %r12
    xorl    %r14d, %r14d
    movq    %rdi, %r8
    movq    %rbx, %r15
    .p2align 4,,10
    .p2align 3
.L3:
    movq    (%r12,%r8), %r10
    movq    8(%rbp,%r8), %rsi
    movq    8(%r12,%r8), %r9
    movq    %r10, %rax
    mulq    0(%rbp,%r8)
    movq    %rax, %rcx
    movq    %r10, %rax
    movq    %rdx, %rbx
    mulq    %rsi
    movq    %rax, -104(%rsp)
    movq    %rsi, %rax
    movq    -104(%rsp), %r10
    movq    %rdx, -96(%rsp)
    mulq    %r9
    movq    -96(%rsp), %r11
    movq    %rax, %rsi
    movq    %rdx, %rdi
    movq    %r9, %rax
    movq    %rbx, %r9
    mulq    0(%rbp,%r8)
    addq    %rax, %r10
    adcq    %rdx, %r11
    movq    %rsi, %rax
    movq    %rdi, %rdx
    addq    %r10, %r9
    adcq    %r11, %rax
    adcq    $0, %rdx
    movq    %rax, -72(%rsp)
    movq    -72(%rsp), %r10
    movq    %rdx, -64(%rsp)
    movq    -64(%rsp), %r11
    movq    %r9, -88(%rsp)
    movq    %rax, -80(%rsp)
    movq    -88(%rsp), %rax
    shrdq    $58, %r11, %r10
    movq    -80(%rsp), %rdx
    shrdq    $58, %rdx, %rax
    movq    %rax, %r11
    movq    -32(%rsp), %rax
    mulq    %r10
    movq    %rax, -104(%rsp)
    movq    %r10, %rax
    movq    -104(%rsp), %rbx
    movq    %rdx, -96(%rsp)
    mulq    -40(%rsp)
    movq    %rbx, %rsi
    movq    -96(%rsp), %rdi
    movq    %rax, %r10
    movq    -32(%rsp), %rax
    movq    %rdx, %rbx
    mulq    %r11
    addq    %rax, %r10
    adcq    %rdx, %rbx
    adcq    $0, %rdi
    movq    %r11, %rax
    mulq    -40(%rsp)
    movq    %rdx, %rax
    addq    %r10, %rax
    adcq    %rbx, %rsi
    adcq    $0, %rdi
    movq    %rdi, -48(%rsp)
    shrq    %rdi
    movq    -24(%rsp), %rbx
    imulq    %r13, %rdi
    movq    %rsi, -56(%rsp)
    movq    -56(%rsp), %rsi
    movq    %rdi, %rdx
    movq    -48(%rsp), %rdi
    shrdq    $1, %rdi, %rsi
    movq    %rsi, %r11
    imulq    %rbx, %rsi
    movq    %r11, %rax
    addq    %rdx, %rsi
    mulq    %r13
    addq    %rdx, %rsi
    subq    %rax, %rcx
    sbbq    %rsi, %r9
    addq    $1, %r14
    movq    %rcx, %rdx
    movq    %r9, %rax
    subq    %r13, %rdx
    sbbq    %rbx, %rax
    cmovcq    %rcx, %rdx
    cmovcq    %r9, %rax
    movq    %rdx, (%r15,%r8)
    movq    %rax, 8(%r15,%r8)
    addq    $16, %r8
    cmpq    %r14, -16(%rsp)
    jne    .L3
.L1:
    popq    %rbx
    popq    %rbp
    popq    %r12
    popq    %r13
    popq    %r14
    popq    %r15
    ret
    .size    by_1, .-by_1

    .type    shift_up, @function
shift_up:
    pushq    %r13
    movq    %rcx, %r9
    movq    %rcx, %rax
    pxor    %xmm0, %xmm0
    pushq    %r12
    shrq    $6, %rax
    movl    $1, %r12d
    salq    $4, %rdx
    pushq    %rbp
    movl    %ecx, %r10d
    movl    $2, %ebp
    notl    %r9d
    pushq    %rbx
    movl    $3, %ebx
    movq    %rsi, %r8
    subq    %rax, %r12
    movq    %rdi, %rsi
    subq    %rax, %rbp
    subq    %rax, %rbx
    andl    $63, %r10d
    leaq    (%rdi,%rdx), %r11
    andl    $63, %r9d
    movaps    %xmm0, -40(%rsp)
    .p2align 4,,10
    .p2align 3
.L10:
    movdqu    (%r8), %xmm1
    movl    %r10d, %ecx
    addq    $16, %rsi
    addq    $16, %r8
    movaps    %xmm1, -24(%rsp)
    movq    -40(%rsp,%rbp,8), %rdi
    movq    -40(%rsp,%r12,8), %rax
    movq    -40(%rsp,%rbx,8), %rdx
    movq    %rdi, %r13
    shrq    %rax
    salq    %cl, %rdi
    salq    %cl, %rdx
    movl    %r9d, %ecx
    shrq    %r13
    shrq    %cl, %rax
    shrq    %cl, %r13
    orq    %rdi, %rax
    orq    %r13, %rdx
    movq    %rax, -16(%rsi)
    movq    %rdx, -8(%rsi)
    cmpq    %rsi, %r11
    jne    .L10
    popq    %rbx
    popq    %rbp
    popq    %r12
    popq    %r13
    ret
    .size    shift_up, .-shift_up

    .type    shift_down, @function
shift_down:
    pushq    %rbp
    movl    %ecx, %r11d
    movq    %rcx, %r9
    pxor    %xmm0, %xmm0
    pushq    %rbx
    movq    %rcx, %rbx
    salq    $4, %rdx
    notl    %r11d
    shrq    $6, %rbx
    andl    $63, %r11d
    leaq    (%rsi,%rdx), %r10
    andl    $63, %r9d
    leaq    1(%rbx), %rbp
    movaps    %xmm0, -24(%rsp)
    .p2align 4,,10
    .p2align 3
.L14:
    movdqu    (%rsi), %xmm1
    movl    %r9d, %ecx
    addq    $16, %rdi
    addq    $16, %rsi
    movaps    %xmm1, -40(%rsp)
    movq    -40(%rsp,%rbp,8), %rdx
    movq    -40(%rsp,%rbx,8), %rax
    leaq    (%rdx,%rdx), %r8
    shrq    %cl, %rax
    shrq    %cl, %rdx
    movl    %r11d, %ecx
    salq    %cl, %r8
    movq    %rdx, -8(%rdi)
    orq    %r8, %rax
    movq    %rax, -16(%rdi)
    cmpq    %r10, %rsi
    jne    .L14
    popq    %rbx
    popq    %rbp
    ret
    .size    shift_down, .-shift_down

    .type    run.isra.0, @function
run.isra.0:
    pushq    %r15
    movq    %rsi, %r15
    pushq    %r14
    movq    %r9, %r14
    pushq    %r13
    movq    %rdx, %r13
    pushq    %r12
    movq    %rdi, %r12
    pushq    %rbp
    pushq    %rbx
    subq    $1048, %rsp
    movq    %r8, (%rsp)
    movq    %rcx, 8(%rsp)
    testq    %r8, %r8
    je    .L19
    leaq    16(%rsp), %rbp
    testq    %r9, %r9
    je    .L18
    .p2align 4,,10
    .p2align 3
.L20:
    movl    $64, %ebx
    movq    (%rsp), %rcx
    movq    %r15, %rsi
    movq    %rbp, %rdi
    cmpq    %rbx, %r14
    cmovbe    %r14, %rbx
    movq    %rbx, %rdx
    call    shift_up
    movq    8(%rsp), %rcx
    movq    %r13, %rdx
    movq    %rbx, %r8
    movq    %rbp, %rsi
    movq    %rbp, %rdi
    call    by_1
    movq    (%rsp), %rcx
    movq    %r12, %rdi
    movq    %rbx, %rdx
    movq    %rbp, %rsi
    call    shift_down
    movq    %rbx, %rax
    salq    $4, %rax
    addq    %rax, %r12
    addq    %rax, %r15
    addq    %rax, %r13
    subq    %rbx, %r14
    jne    .L20
.L18:
    addq    $1048, %rsp
    popq    %rbx
    popq    %rbp
    popq    %r12
    popq    %r13
    popq    %r14
    popq    %r15
    ret
    .p2align 4,,10
    .p2align 3
.L19:
    addq    $1048, %rsp
    movq    %r9, %r8
    popq    %rbx
    popq    %rbp
    popq    %r12
    popq    %r13
    popq    %r14
    popq    %r15
    jmp    by_1
    .size    run.isra.0, .-run.isra.0

    .globl    vmul_124b_c_execute
    .type    vmul_124b_c_execute, @function
vmul_124b_c_execute:
    testq    %rdi, %rdi
    je    .L51
    movq    %r8, %r9
    testq    %r8, %r8
    je    .L53
    movq    %rsi, %rax
    movq    %rdx, %rsi
    movq    %rcx, %rdx
    movq    %rdi, %rcx
    testq    %rdx, %rdx
    sete    %dil
    testq    %rax, %rax
    sete    %r8b
    orb    %r8b, %dil
    jne    .L51
    testq    %rsi, %rsi
    je    .L51
    subq    $8, %rsp
    movq    32(%rcx), %r8
    movq    %rax, %rdi
    call    run.isra.0
    xorl    %eax, %eax
    addq    $8, %rsp
    ret
    .p2align 4,,10
    .p2align 3
.L51:
    movl    $4, %eax
    ret
    .p2align 4,,10
    .p2align 3
.L53:
    xorl    %eax, %eax
    ret
    .size    vmul_124b_c_execute, .-vmul_124b_c_execute
    .section    .note.GNU-stack,"",@progbits
