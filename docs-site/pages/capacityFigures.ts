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
  { what: '402, the question as it will be paid for', cpuMicros: 57, ratio: 0.49 },
  { what: '400', cpuMicros: 121, ratio: 0.24 },
  { what: 'health', cpuMicros: 36, ratio: 0.78 },
  { what: 'openapi.json', cpuMicros: 789, ratio: 0.04 },
  { what: 'the same payment again', cpuMicros: 823, ratio: 0.03 },
  { what: 'a paid quote that stands', cpuMicros: 3_884, ratio: 0.007 },
  { what: 'a paid quote that nobody asked before', cpuMicros: 5_240, ratio: 0.005 },
  { what: 'a paid check', cpuMicros: 18_024, ratio: 0.002 },
];

const replicas: readonly ReplicaFigure[] = [
  { where: 'SQLite', replicas: 1, cpuMicros: 6_771, databaseCpuMicros: 17, commits: 'in groups' },
  { where: 'PostgreSQL', replicas: 1, cpuMicros: 10_671, databaseCpuMicros: 4_617, commits: 8.3 },
  { where: 'PostgreSQL', replicas: 2, cpuMicros: 18_671, databaseCpuMicros: 10_883, commits: 8.3 },
  { where: 'PostgreSQL', replicas: 3, cpuMicros: 33_714, databaseCpuMicros: 12_783, commits: 8.3 },
];

/** One run of `bench:http` and one of `bench:scale`; another run replaces all of it, the date and the machine too. */
export const capacityFigures = {
  date: '21 November 2026',
  machine: 'two cores of a shared Intel Xeon with Node 20.20, which then ran at two thirds of its best',
  load: 1.3,
  idleMiB: 82,
  loadedMiB: 223,
  bareCpuMicros: 28,
  calls,
  replicas,
};
