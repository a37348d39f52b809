import { inspect } from 'node:util';
import { WrongChainError } from '../engine/index.ts';
import { serviceVersion } from '../router/index.ts';
import { type Config, ConfigError, readConfig } from './config/index.ts';
import { sandboxNotice } from './http/health.ts';
import { createVeil } from './observability/redaction/createVeil.ts';
import { secretsOfConfig } from './observability/redaction/secretsOfConfig.ts';
import { PaymentNetworkMismatchError } from './payments/index.ts';
import { startServer } from './startServer.ts';
import { DatabaseInUseError, DatabaseTooNewError, DatabaseUnavailableError } from './storage/index.ts';

const graceMs = 30_000;

/** What an operator can set right: told in one message, without a stack. */
const operatorErrors = [
  ConfigError,
  WrongChainError,
  PaymentNetworkMismatchError,
  DatabaseInUseError,
  DatabaseTooNewError,
  DatabaseUnavailableError,
];

try {
  const config = readConfig(process.env);
  veilCrashes(config);
  const server = await startServer(config);
  // Ctrl-C arrives twice under npm: from the terminal, and forwarded. The second one must not interrupt a settlement.
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (stopping ??= stop(server)));
  const banner =
    config.mode === 'sandbox' ? `  ${sandboxNotice}\n  Wallets, tokens and RPC URLs: ${server.url}/sandbox\n` : '';
  const metrics = server.metricsUrl ? `  Metrics: ${server.metricsUrl}\n` : '';
  process.stdout.write(`truefill ${serviceVersion} (${config.mode}) answers on ${server.url}\n${banner}${metrics}`);
} catch (error) {
  if (!isOperators(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** What nobody foresaw ends the process as it would anyway, but its last words carry no secret either. */
function veilCrashes(config: Config): void {
  const veil = createVeil(secretsOfConfig(config));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${veil(inspect(error))}\n`);
    process.exit(1);
  });
}

async function stop(server: { close(): Promise<void> }): Promise<void> {
  setTimeout(() => process.exit(1), graceMs).unref();
  await server.close();
  process.exit(0);
}

function isOperators(error: unknown): error is Error {
  const isPortTaken =
    error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
  return isPortTaken || operatorErrors.some((kind) => error instanceof kind);
}
