//! tfhe-ntt's negacyclic transforms: `prime32` for moduli below 2^32, otherwise `prime64`, in place on words of 32 or 64 bits.
use std::ffi::{c_char, c_void, CStr};
use tfhe_ntt::{prime32, prime64};

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u64; 8]);

enum Ring {
    Narrow(prime32::Plan),
    Wide(prime64::Plan),
}

pub struct Plan {
    ring: Ring,
    inverse: bool,
    n: usize,
    room: Vec<Line>,
}

impl Plan {
    /// Returns the values as words of type `T`.
    fn words<T>(&mut self) -> &mut [T] {
        unsafe { std::slice::from_raw_parts_mut(self.room.as_mut_ptr().cast(), self.n) }
    }
}

fn made(kernel: &str, n: usize, q: u64) -> Option<Plan> {
    let inverse = match kernel {
        "ntt_negacyclic" => false,
        "intt_negacyclic" => true,
        _ => return None,
    };
    let ring = match u32::try_from(q) {
        Ok(narrow) => Ring::Narrow(prime32::Plan::try_new(n, narrow)?),
        Err(_) => Ring::Wide(prime64::Plan::try_new(n, q)?),
    };
    Some(Plan { ring, inverse, n, room: vec![Line([0; 8]); n.div_ceil(8)] })
}

#[no_mangle]
pub unsafe extern "C" fn tfhe_ntt_plan(
    kernel: *const c_char, n: u64, words: u64, q: *const u64, _root: *const u64,
) -> *mut Plan {
    let name = CStr::from_ptr(kernel).to_str().unwrap_or("");
    let plan = if words == 1 { made(name, n as usize, *q) } else { None };
    plan.map_or(std::ptr::null_mut(), |p| Box::into_raw(Box::new(p)))
}

#[no_mangle]
pub unsafe extern "C" fn tfhe_ntt_free(plan: *mut Plan) {
    drop(Box::from_raw(plan));
}

#[no_mangle]
pub unsafe extern "C" fn tfhe_ntt_load(plan: *mut Plan, _a: *const u64, x: *const u64, _y: *const u64) {
    let plan = &mut *plan;
    let given = std::slice::from_raw_parts(x, plan.n);
    match plan.ring {
        Ring::Narrow(_) => plan.words().iter_mut().zip(given).for_each(|(z, &v): (&mut u32, _)| *z = v as u32),
        Ring::Wide(_) => plan.words().copy_from_slice(given),
    }
}

#[no_mangle]
pub unsafe extern "C" fn tfhe_ntt_run(_z: *mut c_void, plan: *mut Plan) {
    let plan = &mut *plan;
    let (start, n) = (plan.room.as_mut_ptr(), plan.n);
    match (&plan.ring, plan.inverse) {
        (Ring::Narrow(ring), false) => ring.fwd(std::slice::from_raw_parts_mut(start.cast(), n)),
        (Ring::Narrow(ring), true) => ring.inv(std::slice::from_raw_parts_mut(start.cast(), n)),
        (Ring::Wide(ring), false) => ring.fwd(std::slice::from_raw_parts_mut(start.cast(), n)),
        (Ring::Wide(ring), true) => ring.inv(std::slice::from_raw_parts_mut(start.cast(), n)),
    }
}

#[no_mangle]
pub unsafe extern "C" fn tfhe_ntt_store(z: *mut u64, plan: *mut Plan) {
    let plan = &mut *plan;
    let result = std::slice::from_raw_parts_mut(z, plan.n);
    match plan.ring {
        Ring::Narrow(_) => result.iter_mut().zip(plan.words::<u32>()).for_each(|(z, v)| *z = u64::from(*v)),
        Ring::Wide(_) => result.copy_from_slice(plan.words()),
    }
}
