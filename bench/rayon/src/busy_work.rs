//! The work of `harness/busy_work.hpp`.

use std::arch::asm;

/// Makes the compiler assume that `value` is used and changed here.
#[inline(always)]
pub fn keep(mut value: u64) -> u64 {
    // The register does not change.
    unsafe { asm!("/* {} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags)) };
    value
}

/// A chain of `steps` steps. Each needs the result of the previous one.
#[inline(never)]
pub fn busy_work(mut state: u64, steps: u64) -> u64 {
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state = keep(state);
    }
    state
}
