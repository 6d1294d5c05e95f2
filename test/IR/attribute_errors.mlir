// RUN: coda-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected a tile of rows, columns and contracts, found 2 sizes}}
#schedule_tile = #coda.schedule<tile = [128, 256], stages = 4, cluster = 1, mode = cooperative>

// -----

// expected-error @below {{expected positive tile sizes, found 0}}
#schedule_tile_size = #coda.schedule<tile = [128, 256, 0], stages = 4, cluster = 1, mode = cooperative>

// -----

// expected-error @below {{expected at least 1 stage, found -2}}
#schedule_stages = #coda.schedule<tile = [128, 256, 64], stages = -2, cluster = 1, mode = cooperative>

// -----

// expected-error @below {{expected a cluster of at least 1 block, found 0}}
#schedule_cluster = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 0, mode = cooperative>

// -----

// expected-error @below {{expected ::mlir::coda::ScheduleMode to be one of: cooperative, pingpong}}
// expected-error @below {{failed to parse Coda_ScheduleAttr parameter 'mode'}}
#schedule_mode = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 1, mode = fast>

// -----

// expected-error @below {{expected 'stages'}}
#schedule_order = #coda.schedule<tile = [128, 256, 64], cluster = 1, stages = 4, mode = pingpong>

// -----

// expected-error @below {{expected ::mlir::coda::Numerics to be one of: bitwise, algebraic, relaxed}}
// expected-error @below {{failed to parse Coda_NumericsAttr parameter 'value'}}
#numerics = #coda.numerics<exact>
