/* The functions that the edited class DCRTPoly of OpenFHE calls. */
#ifndef DROPIN_ROWS_OPENFHE_HPP
#define DROPIN_ROWS_OPENFHE_HPP

#include "openfhe_behz.hpp"
#include "openfhe_scale.hpp"
#include "openfhe_switch.hpp"

#endif
