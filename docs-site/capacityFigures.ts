/** CPU cost of a call in one process, from `npm run bench:http`. */
interface CallFigure {
  what: string;
  cpuMicros: number;
  /** CPU of Node's bare http in the same run, divided by it. */
  ratio: number;
}

/** CPU cost of a paid call with a cached answer, from `npm run bench:scale`. */
interface ReplicaFigure {
  where: string;
  replicas: number;
  cpuMicros: number;
  databaseCpuMicros: number;
  commits: number | 'in groups';
}

/** Of one run on one machine. */
export interface CapacityFigures {
  date: string;
  machine: string;
  /** Load average before the run. */
  load: number;
  idleMiB: number;
  loadedMiB: number;
  bareCpuMicros: number;
  calls: readonly CallFigure[];
  replicas: readonly ReplicaFigure[];
}

/** Written by `npm run bench:capacity -- --write`. */
export const capacityFigures: CapacityFigures = {
  date: '22 November 2026',
  machine: 'two cores of a shared Intel Xeon with Node 20.20',
  load: 4.4,
  idleMiB: 82,
  loadedMiB: 138,
  bareCpuMicros: 16,
  calls: [
    { what: '402 for an unpaid request', cpuMicros: 38, ratio: 0.42 },
    { what: '400', cpuMicros: 127, ratio: 0.13 },
    { what: 'health', cpuMicros: 43, ratio: 0.37 },
    { what: 'openapi.json', cpuMicros: 777, ratio: 0.02 },
    { what: 'a replay of a paid answer', cpuMicros: 915, ratio: 0.02 },
    { what: 'a paid quote, cached', cpuMicros: 2_764, ratio: 0.006 },
    { what: 'a paid quote, not cached', cpuMicros: 4_703, ratio: 0.003 },
    { what: 'a paid check', cpuMicros: 13_251, ratio: 0.001 },
  ],
  replicas: [
    { where: 'SQLite', replicas: 1, cpuMicros: 5_256, databaseCpuMicros: 0, commits: 'in groups' },
    { where: 'PostgreSQL', replicas: 1, cpuMicros: 9_294, databaseCpuMicros: 4_117, commits: 7.2 },
    { where: 'PostgreSQL', replicas: 2, cpuMicros: 15_472, databaseCpuMicros: 9_850, commits: 6.9 },
    { where: 'PostgreSQL', replicas: 3, cpuMicros: 18_134, databaseCpuMicros: 7_967, commits: 7.5 },
  ],
};
