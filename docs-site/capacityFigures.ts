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
  date: '29 November 2026',
  machine: '2 cores (AMD EPYC) with Node 20.20.2',
  load: 1.5,
  idleMiB: 126,
  loadedMiB: 303,
  bareCpuMicros: 27,
  calls: [
    { what: '402 for an unpaid request', cpuMicros: 253, ratio: 0.11 },
    { what: '400', cpuMicros: 246, ratio: 0.11 },
    { what: 'health', cpuMicros: 93, ratio: 0.29 },
    { what: 'openapi.json', cpuMicros: 183, ratio: 0.15 },
    { what: 'a replay of a paid answer', cpuMicros: 516, ratio: 0.052 },
    { what: 'a paid quote, cached', cpuMicros: 2444, ratio: 0.011 },
    { what: 'a paid quote, not cached', cpuMicros: 4689, ratio: 0.0057 },
    { what: 'a repeated check, the engine alone', cpuMicros: 6410, ratio: 0.0042 },
    { what: 'the first check of a token, the engine alone', cpuMicros: 13660, ratio: 0.002 },
  ],
  replicas: [
    { where: 'SQLite', replicas: 1, cpuMicros: 3551, databaseCpuMicros: 0, commits: 'in groups' },
    { where: 'PostgreSQL', replicas: 1, cpuMicros: 3746, databaseCpuMicros: 1400, commits: 1.1 },
    { where: 'PostgreSQL', replicas: 2, cpuMicros: 5479, databaseCpuMicros: 2517, commits: 1.6 },
    { where: 'PostgreSQL', replicas: 3, cpuMicros: 6586, databaseCpuMicros: 2983, commits: 1.8 },
  ],
};
