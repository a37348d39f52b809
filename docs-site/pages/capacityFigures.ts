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
  { what: '402, the question as it will be paid for', cpuMicros: 51, ratio: 0.63 },
  { what: '400', cpuMicros: 104, ratio: 0.3 },
  { what: 'health', cpuMicros: 46, ratio: 0.68 },
  { what: 'openapi.json', cpuMicros: 719, ratio: 0.04 },
  { what: 'the same payment again', cpuMicros: 1_101, ratio: 0.03 },
  { what: 'a paid quote that stands', cpuMicros: 6_200, ratio: 0.005 },
  { what: 'a paid quote that nobody asked before', cpuMicros: 6_214, ratio: 0.005 },
  { what: 'a paid check', cpuMicros: 13_723, ratio: 0.002 },
];

const replicas: readonly ReplicaFigure[] = [
  { where: 'SQLite', replicas: 1, cpuMicros: 7_212, databaseCpuMicros: 0, commits: 'in groups' },
  { where: 'PostgreSQL', replicas: 1, cpuMicros: 11_769, databaseCpuMicros: 4_867, commits: 6.3 },
  { where: 'PostgreSQL', replicas: 2, cpuMicros: 19_705, databaseCpuMicros: 8_267, commits: 8.6 },
  { where: 'PostgreSQL', replicas: 3, cpuMicros: 23_754, databaseCpuMicros: 10_333, commits: 9.2 },
];

/** One run of `bench:http` and one of `bench:scale`; another run replaces all of it, the date and the machine too. */
export const capacityFigures = {
  date: '21 November 2026',
  machine: 'two cores of an Intel Xeon with Node 20.20, which some twenty-five other processes were fighting for',
  load: 25,
  idleMiB: 89,
  loadedMiB: 142,
  bareCpuMicros: 32,
  calls,
  replicas,
};
