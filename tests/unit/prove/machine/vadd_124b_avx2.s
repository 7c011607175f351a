# vadd_124b_avx2_execute as gcc translates it.
    .text
    .type    by_1, @function
by_1:
.LFB6392:
    pushq    %r12
    pushq    %rbp
    pushq    %rbx
    movq    (%rcx), %rbp
    movq    8(%rcx), %r12
    testq    %r8, %r8
    je    .L8
    movq    %rsi, %rbx
    movq    %rdi, %r11
    movq    %rdx, %rsi
    xorl    %eax, %eax
    xorl    %r10d, %r10d
.L3:
    movq    (%rbx,%rax), %rdx
    movq    8(%rbx,%rax), %rcx
#APP
# 139 "vadd_124b_avx2.c" 1
    addq (%rsi,%rax), %rdx
    adcq 8(%rsi,%rax), %rcx
# 0 "" 2
#NO_APP
    addq    $1, %r10
    movq    %rdx, %r9
    movq    %rcx, %rdi
#APP
# 159 "vadd_124b_avx2.c" 1
    subq %rbp, %r9
    sbbq %r12, %rdi
    cmovcq %rdx, %r9
    cmovcq %rcx, %rdi
# 0 "" 2
#NO_APP
    movq    %r9, (%r11,%rax)
    movq    %rdi, 8(%r11,%rax)
    addq    $16, %rax
    cmpq    %r10, %r8
    jne    .L3
.L8:
    popq    %rbx
    popq    %rbp
    popq    %r12
    ret
.LFE6392:
    .size    by_1, .-by_1
    .type    by_4, @function
by_4:
.LFB6391:
    vpbroadcastq    (%rcx), %ymm5
    vpbroadcastq    8(%rcx), %ymm6
    testq    %r8, %r8
    je    .L16
    movabsq    $-9223372036854775808, %rax
    xorl    %ecx, %ecx
    vpxor    %xmm7, %xmm7, %xmm7
    vmovq    %rax, %xmm4
    xorl    %eax, %eax
    vpbroadcastq    %xmm4, %ymm4
    vpaddq    %ymm4, %ymm5, %ymm5
.L13:
    vmovdqu    (%rsi,%rax), %ymm3
    vpunpcklqdq    32(%rsi,%rax), %ymm3, %ymm0
    addq    $1, %rcx
    vmovdqu    (%rdx,%rax), %ymm1
    vpunpcklqdq    32(%rdx,%rax), %ymm1, %ymm2
    vpaddq    %ymm4, %ymm0, %ymm0
    vpunpckhqdq    32(%rsi,%rax), %ymm3, %ymm3
    vpunpckhqdq    32(%rdx,%rax), %ymm1, %ymm1
    vpaddq    %ymm0, %ymm2, %ymm2
    vpcmpgtq    %ymm2, %ymm0, %ymm0
    vpaddq    %ymm3, %ymm1, %ymm1
    vpsubq    %ymm5, %ymm2, %ymm3
    vpsubq    %ymm0, %ymm1, %ymm1
    vpcmpgtq    %ymm2, %ymm5, %ymm0
    vpaddq    %ymm4, %ymm2, %ymm2
    vpsubq    %ymm6, %ymm0, %ymm0
    vpaddq    %ymm1, %ymm0, %ymm0
    vpcmpgtq    %ymm0, %ymm7, %ymm8
    vblendvpd    %ymm8, %ymm1, %ymm0, %ymm0
    vblendvpd    %ymm8, %ymm2, %ymm3, %ymm2
    vpunpcklqdq    %ymm0, %ymm2, %ymm1
    vpunpckhqdq    %ymm0, %ymm2, %ymm2
    vmovdqu    %ymm1, (%rdi,%rax)
    vmovdqu    %ymm2, 32(%rdi,%rax)
    addq    $64, %rax
    cmpq    %rcx, %r8
    jne    .L13
.L16:
    vzeroupper
    ret
.LFE6391:
    .size    by_4, .-by_4
    .globl    vadd_124b_avx2_execute
    .type    vadd_124b_avx2_execute, @function
vadd_124b_avx2_execute:
.LFB6398:
    movq    %rdi, %r9
    movq    %r8, %r10
    movq    %rsi, %rdi
    movq    %rdx, %rsi
    movq    %rcx, %rdx
    testq    %r9, %r9
    je    .L36
    testq    %r8, %r8
    je    .L34
    testq    %rcx, %rcx
    sete    %al
    testq    %rdi, %rdi
    sete    %cl
    orb    %cl, %al
    jne    .L36
    testq    %rsi, %rsi
    je    .L36
    shrq    $2, %r8
    movq    %r9, %rcx
    andl    $3, %r10d
    call    by_4
    movq    %r8, %rax
    movq    %r9, %rcx
    movq    %r10, %r8
    salq    $6, %rax
    addq    %rax, %rdx
    addq    %rax, %rsi
    addq    %rax, %rdi
    call    by_1
.L34:
    xorl    %eax, %eax
    ret
.L36:
    movl    $4, %eax
    ret
.LFE6398:
    .size    vadd_124b_avx2_execute, .-vadd_124b_avx2_execute
