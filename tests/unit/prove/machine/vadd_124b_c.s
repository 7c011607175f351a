# vadd_124b_c_execute as gcc translates it, with one word of q in the red zone of the stack.
    .text
    .type    by_1, @function
by_1:
    pushq    %r12
    pushq    %rbp
    pushq    %rbx
    movq    (%rcx), %rbp
    movq    8(%rcx), %r12
    movq    %r12, -8(%rsp)
    testq    %r8, %r8
    je    .L1
    movq    %rsi, %rbx
    movq    %rdi, %r11
    movq    %rdx, %rsi
    xorl    %eax, %eax
    xorl    %r10d, %r10d
    .p2align 4,,10
    .p2align 3
.L3:
    movq    (%rbx,%rax), %rdx
    movq    8(%rbx,%rax), %rcx
    addq    (%rsi,%rax), %rdx
    adcq    8(%rsi,%rax), %rcx
    addq    $1, %r10
    movq    %rdx, %r9
    movq    %rcx, %rdi
    subq    %rbp, %r9
    sbbq    -8(%rsp), %rdi
    cmovcq    %rdx, %r9
    cmovcq    %rcx, %rdi
    movq    %r9, (%r11,%rax)
    movq    %rdi, 8(%r11,%rax)
    addq    $16, %rax
    cmpq    %r10, %r8
    jne    .L3
.L1:
    popq    %rbx
    popq    %rbp
    popq    %r12
    ret
    .size    by_1, .-by_1

    .globl    vadd_124b_c_execute
    .type    vadd_124b_c_execute, @function
vadd_124b_c_execute:
    movq    %rdi, %rax
    movq    %rsi, %rdi
    movq    %rdx, %rsi
    movq    %rcx, %rdx
    testq    %rax, %rax
    je    .L29
    testq    %r8, %r8
    je    .L27
    testq    %rcx, %rcx
    sete    %cl
    testq    %rdi, %rdi
    sete    %r9b
    orb    %r9b, %cl
    jne    .L29
    testq    %rsi, %rsi
    je    .L29
    movq    %rax, %rcx
    call    by_1
.L27:
    xorl    %eax, %eax
    ret
    .p2align 4,,10
    .p2align 3
.L29:
    movl    $4, %eax
    ret
    .size    vadd_124b_c_execute, .-vadd_124b_c_execute
    .section    .note.GNU-stack,"",@progbits
