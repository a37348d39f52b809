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
  { what: '402, the question as it will be paid for', cpuMicros: 41, ratio: 0.4 },
  { what: '400', cpuMicros: 76, ratio: 0.22 },
  { what: 'health', cpuMicros: 19, ratio: 0.87 },
  { what: 'openapi.json', cpuMicros: 378, ratio: 0.04 },
  { what: 'the same payment again', cpuMicros: 661, ratio: 0.03 },
  { what: 'a paid quote that stands', cpuMicros: 4_190, ratio: 0.004 },
  { what: 'a paid quote that nobody asked before', cpuMicros: 4_525, ratio: 0.004 },
  { what: 'a paid check', cpuMicros: 11_181, ratio: 0.002 },
];

const replicas: readonly ReplicaFigure[] = [
  { where: 'SQLite', replicas: 1, cpuMicros: 5_488, databaseCpuMicros: 17, commits: 'in groups' },
  { where: 'PostgreSQL', replicas: 1, cpuMicros: 7_374, databaseCpuMicros: 2_967, commits: 7.9 },
  { where: 'PostgreSQL', replicas: 2, cpuMicros: 16_237, databaseCpuMicros: 8_883, commits: 8.1 },
  { where: 'PostgreSQL', replicas: 3, cpuMicros: 23_777, databaseCpuMicros: 10_083, commits: 8.3 },
];

/** One run of `bench:http` and one of `bench:scale`; another run replaces all of it, the date and the machine too. */
export const capacityFigures = {
  date: '21 November 2026',
  machine: 'two cores of an Intel Xeon with Node 20.20, with nothing else to do',
  load: 1.8,
  idleMiB: 95,
  loadedMiB: 198,
  bareCpuMicros: 17,
  calls,
  replicas,
};
