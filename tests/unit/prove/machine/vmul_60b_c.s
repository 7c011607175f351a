# vmul_60b_c_execute as gcc translates it.
    .text
    .type    full_by_1, @function
full_by_1:
    pushq    %rbp
    pushq    %rbx
    movq    8(%rcx), %r9
    movq    16(%rcx), %rbp
    testq    %r8, %r8
    je    .L1
    movq    %rdi, %rbx
    movq    %rsi, %r11
    movq    %rdx, %r10
    xorl    %ecx, %ecx
    .p2align 4,,10
    .p2align 3
.L3:
    movq    (%r10,%rcx,8), %rax
    mulq    (%r11,%rcx,8)
    movq    %rax, %rsi
    shrdq    $58, %rdx, %rax
    mulq    %rbp
    movq    %rdx, %rax
    shrq    %rax
    imulq    %r9, %rax
    subq    %rax, %rsi
    movq    %rsi, %rax
    subq    %r9, %rax
    cmovcq    %rsi, %rax
    movq    %rax, (%rbx,%rcx,8)
    addq    $1, %rcx
    cmpq    %rcx, %r8
    jne    .L3
.L1:
    popq    %rbx
    popq    %rbp
    ret
    .size    full_by_1, .-full_by_1

    .type    short_by_1, @function
short_by_1:
    pushq    %r12
    pushq    %rbp
    pushq    %rbx
    movq    8(%rcx), %r10
    movq    16(%rcx), %r12
    movl    24(%rcx), %ecx
    testq    %r8, %r8
    je    .L9
    movq    %rdi, %rbp
    movq    %rsi, %rbx
    movq    %rdx, %r11
    xorl    %r9d, %r9d
    .p2align 4,,10
    .p2align 3
.L11:
    movq    (%rbx,%r9,8), %rax
    salq    %cl, %rax
    mulq    (%r11,%r9,8)
    movq    %rax, %rsi
    shrdq    $58, %rdx, %rax
    mulq    %r12
    movq    %rdx, %rax
    shrq    %rax
    imulq    %r10, %rax
    subq    %rax, %rsi
    movq    %rsi, %rax
    subq    %r10, %rax
    cmovcq    %rsi, %rax
    shrq    %cl, %rax
    movq    %rax, 0(%rbp,%r9,8)
    addq    $1, %r9
    cmpq    %r9, %r8
    jne    .L11
.L9:
    popq    %rbx
    popq    %rbp
    popq    %r12
    ret
    .size    short_by_1, .-short_by_1

    .globl    vmul_60b_c_execute
    .type    vmul_60b_c_execute, @function
vmul_60b_c_execute:
    movq    %rdx, %rax
    movq    %rcx, %rdx
    movq    %rdi, %rcx
    testq    %rdi, %rdi
    je    .L41
    testq    %r8, %r8
    je    .L46
    movq    %rsi, %rdi
    testq    %rdx, %rdx
    sete    %sil
    testq    %rdi, %rdi
    sete    %r9b
    orb    %r9b, %sil
    jne    .L41
    testq    %rax, %rax
    je    .L41
    subq    $8, %rsp
    cmpq    $0, 24(%rcx)
    movq    %rax, %rsi
    je    .L50
    call    short_by_1
    xorl    %eax, %eax
    addq    $8, %rsp
    ret
    .p2align 4,,10
    .p2align 3
.L41:
    movl    $4, %eax
    ret
    .p2align 4,,10
    .p2align 3
.L50:
    call    full_by_1
    xorl    %eax, %eax
    addq    $8, %rsp
    ret
    .p2align 4,,10
    .p2align 3
.L46:
    xorl    %eax, %eax
    ret
    .size    vmul_60b_c_execute, .-vmul_60b_c_execute
    .section    .note.GNU-stack,"",@progbits
