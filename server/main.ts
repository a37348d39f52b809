import { inspect } from 'node:util';
import { serviceVersion } from '../router/index.ts';
import { type Config, readConfig } from './config/index.ts';
import { describeStartFault } from './describeStartFault.ts';
import { sandboxNotice } from './http/health.ts';
import { createRedactor } from './observability/redaction/createRedactor.ts';
import { secretsOfConfig } from './observability/redaction/secretsOfConfig.ts';
import { startServer } from './startServer.ts';
import { describeStart } from './startSummary.ts';

const graceMs = 30_000;

let config: Config | undefined;
try {
  config = readConfig(process.env);
  redactCrashes(config);
  const server = await startServer(config);
  // Under npm, Ctrl-C arrives twice: from the terminal and from npm. The second one must not interrupt a settlement.
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (stopping ??= stop(server)));
  const banner =
    config.mode === 'sandbox' ? `  ${sandboxNotice}\n  Wallets, tokens and RPC URLs: ${server.url}/sandbox\n` : '';
  const metrics = server.metricsUrl ? `  Metrics: ${server.metricsUrl}\n` : '';
  const { summary, url } = server;
  const first = `truefill ${serviceVersion} (${config.mode}) answers on ${url} (listens on ${summary.listens})\n`;
  process.stdout.write(`${first}${banner}${describeStart(summary)}${metrics}`);
} catch (error) {
  const message = describeStartFault(error, config);
  if (message === undefined) throw error;
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Redacts secrets in the stack of an uncaught exception, and exits as Node would. */
function redactCrashes(config: Config): void {
  const redact = createRedactor(secretsOfConfig(config));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${redact(inspect(error))}\n`);
    process.exit(1);
  });
}

async function stop(server: { close(): Promise<void> }): Promise<void> {
  setTimeout(() => process.exit(1), graceMs).unref();
  await server.close();
  process.exit(0);
}
