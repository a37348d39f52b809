/** What a call costs one process, from `npm run bench:http`. */
interface CallFigure {
  what: string;
  cpuMicros: number;
  /** CPU of Node's bare http in the same run, divided by it. */
  ratio: number;
}

/** What `npm run bench:http` and `npm run bench:scale` printed; a run replaces all of it, the date and the machine too. */
export const capacityFigures = {
  date: '21 November 2026',
  machine: 'two cores of an Intel Xeon, Node 20.20, shared with other work',
  load: 0,
  idleMiB: 0,
  loadedMiB: 0,
  startMs: 0,
  bareCpuMicros: 0,
  calls: [] as readonly CallFigure[],
  replicas: [] as readonly {
    where: string;
    replicas: number;
    cpuMicros: number;
    databaseCpuMicros: number;
    commits: number;
  }[],
} as const;
