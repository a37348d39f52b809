import { WrongChainError } from '../engine/index.ts';
import { type Config, ConfigError } from './config/index.ts';
import { describeDatabaseFault } from './describeDatabaseFault.ts';
import { PaymentNetworkMismatchError } from './payments/index.ts';
import { DatabaseInUseError, DatabaseTooNewError, DatabaseUnavailableError } from './storage/index.ts';

/** Errors whose messages already contain the variable and the fix. */
const explainedErrors = [ConfigError, PaymentNetworkMismatchError, DatabaseInUseError, DatabaseTooNewError];

/**
 * The message for a start failure that an operator can fix: the variable, the value seen and the fix.
 *
 * @param config undefined if it could not be read
 * @returns undefined for any other error, whose stack is printed
 */
export function describeStartFault(error: unknown, config: Config | undefined): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (explainedErrors.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof WrongChainError) {
    const { chain, endpoint, expectedChainId, seenChainId } = error;
    return `RPC_URL_${chain.toUpperCase()}: the node ${endpoint} serves chain id ${seenChainId}, expected ${expectedChainId} (${chain}). Set the URL of a ${chain} node.`;
  }
  if (!config) return undefined;
  if (error instanceof DatabaseUnavailableError && config.mode === 'live' && config.databaseUrl) {
    return describeDatabaseFault(error, config.databaseUrl);
  }
  return describeSystemError(error, config);
}

interface SystemError extends Error {
  code: string;
  syscall?: string;
  port?: number;
  address?: string;
}

const isSystemError = (error: Error): error is SystemError => 'code' in error && typeof error.code === 'string';

function describeSystemError(error: Error, { metricsAt, dataDir }: Config): string | undefined {
  if (!isSystemError(error)) return undefined;
  const { code, syscall, port, address } = error;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    const isMetrics = metricsAt !== undefined && metricsAt.port === port;
    const [portName, hostName] = isMetrics ? ['METRICS_PORT', 'METRICS_HOST'] : ['PORT', 'HOST'];
    if (code === 'EADDRINUSE') {
      return `${portName}: port ${port} at ${address} is in use. Stop the process that listens there, or set ${portName} to a free port.`;
    }
    if (code === 'EACCES') {
      return `${portName}: no permission to listen on port ${port}. Set ${portName} to 1024 or above.`;
    }
    return `${hostName}: cannot listen at ${address ?? 'that address'} (${code}). Set ${hostName} to an address of this machine.`;
  }
  // For a folder that is not writable, libsql returns SQLite's codes.
  if (/^(EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST|SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_FULL)/.test(code)) {
    return `DATA_DIR: cannot write to the folder "${dataDir}" (${code}). Set DATA_DIR to a folder that this user can write to.`;
  }
  return undefined;
}
