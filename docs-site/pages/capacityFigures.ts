/** What a call costs one process, from `npm run bench:http`. */
interface CallFigure {
  what: string;
  cpuMicros: number;
  /** CPU of Node's bare http in the same run, divided by it. */
  ratio: number;
}

/** What a paid call of an answer that stands costs, from `npm run bench:scale`. */
interface ReplicaFigure {
  where: string;
  replicas: number;
  cpuMicros: number;
  databaseCpuMicros: number;
  commits: number | 'in groups';
}

const calls: readonly CallFigure[] = [
  { what: '402, the question as it will be paid for', cpuMicros: 38, ratio: 0.42 },
  { what: '400', cpuMicros: 127, ratio: 0.13 },
  { what: 'health', cpuMicros: 43, ratio: 0.37 },
  { what: 'openapi.json', cpuMicros: 777, ratio: 0.02 },
  { what: 'the same payment again', cpuMicros: 915, ratio: 0.02 },
  { what: 'a paid quote that stands', cpuMicros: 2_764, ratio: 0.006 },
  { what: 'a paid quote that nobody asked before', cpuMicros: 4_703, ratio: 0.003 },
  { what: 'a paid check', cpuMicros: 13_251, ratio: 0.001 },
];

const replicas: readonly ReplicaFigure[] = [
  { where: 'SQLite', replicas: 1, cpuMicros: 5_256, databaseCpuMicros: 0, commits: 'in groups' },
  { where: 'PostgreSQL', replicas: 1, cpuMicros: 9_294, databaseCpuMicros: 4_117, commits: 7.2 },
  { where: 'PostgreSQL', replicas: 2, cpuMicros: 15_472, databaseCpuMicros: 9_850, commits: 6.9 },
  { where: 'PostgreSQL', replicas: 3, cpuMicros: 18_134, databaseCpuMicros: 7_967, commits: 7.5 },
];

/** One run of `bench:http` and one of `bench:scale`; another run replaces all of it, the date and the machine too. */
export const capacityFigures = {
  date: '22 November 2026',
  machine: 'two cores of a shared Intel Xeon with Node 20.20',
  load: 4.4,
  idleMiB: 82,
  loadedMiB: 138,
  checksMiB: 190,
  bareCpuMicros: 16,
  calls,
  replicas,
};
