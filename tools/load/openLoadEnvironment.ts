import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { liveVariables } from './liveVariables.ts';
import { type Recording, recordChain } from './recordChain.ts';
import { serviceArguments } from './serviceArguments.ts';
import { type Measured, startMeasured } from './startMeasured.ts';

const urlPattern = /answers on (http:\S+)/;
/** CPU core of the measured servers. The replay node runs on another one; the load generator is not pinned. */
export const serverCore = 0;
const nodeCore = 1;

/** A complete response; `headers` alternates names and values. */
export interface FixedAnswer {
  status: number;
  headers: readonly string[];
  body: string;
}

/** A node that replays recorded responses and services that use it, each in its own process. */
export interface LoadEnvironment {
  recording: Recording;
  /**
   * Starts the service in live mode on SQLite.
   * @param options.freshnessMs cache time of answers
   * @param options.core CPU core to pin the process to; undefined: no pinning
   */
  startService(options: {
    freshnessMs: number;
    core?: number;
    nodeArguments?: readonly string[];
    environment?: Record<string, string>;
  }): Promise<Measured>;
  /** Starts an HTTP pipeline without settlement and engine, see `tests/surfaces/pipelineServer.ts`. */
  startPipeline(kind: 'ours' | 'prototype' | 'stock'): Promise<Measured>;
  /**
   * Starts a Node HTTP server without middleware.
   * @param answer response to every request; by default JSON computed from the body
   */
  startBare(answer?: FixedAnswer): Promise<Measured>;
  /** Stops all processes and removes their data. */
  close(): Promise<void>;
}

/** Records the node's responses and starts the replay node. */
export async function openLoadEnvironment(): Promise<LoadEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-load-'));
  const recording = await recordChain();
  const file = join(folder, 'recording.json');
  await writeFile(file, JSON.stringify(recording));
  const node = await startMeasured({
    nodeArguments: ['--import', 'tsx', join(import.meta.dirname, 'replayNode.ts'), file],
    core: nodeCore,
    pattern: /(http:\S+)/,
  });
  const started: Measured[] = [node];
  const keep = (measured: Measured) => {
    started.unshift(measured);
    return measured;
  };
  return {
    recording,
    async startService({ freshnessMs, core, nodeArguments = [], environment = {} }) {
      const dataDir = await mkdtemp(join(folder, 'data-'));
      const variables = liveVariables({ ...recording, rpcUrl: node.ready, dataDir, freshnessMs });
      return keep(
        await startMeasured({
          nodeArguments: [...nodeArguments, ...serviceArguments],
          environment: { ...variables, ...environment },
          core,
          pattern: urlPattern,
        }),
      );
    },
    async startPipeline(kind) {
      const nodeArguments = [
        '--import',
        'tsx',
        join(import.meta.dirname, '..', '..', 'tests', 'surfaces', 'pipelineServer.ts'),
        kind,
      ];
      return keep(await startMeasured({ nodeArguments, core: serverCore, pattern: urlPattern }));
    },
    async startBare(answer) {
      const nodeArguments = [join(import.meta.dirname, 'bareServer.mjs')];
      if (answer) {
        const file = join(folder, 'answer.json');
        await writeFile(file, JSON.stringify(answer));
        nodeArguments.push(file);
      }
      return keep(await startMeasured({ nodeArguments, core: serverCore, pattern: urlPattern }));
    },
    async close() {
      for (const measured of started) await measured.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
