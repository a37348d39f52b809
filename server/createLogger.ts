import { destination, type Logger, pino } from 'pino';
import { createVeil } from './secrets/createVeil.ts';

/**
 * The process's log: JSON lines on stderr, so that stdout says only where the service is.
 * @param secrets texts that no line may carry, whatever error brings them: keys, and URLs that hold keys
 */
export function createLogger(options: {
  level: string;
  secrets: readonly string[];
  to?: { write(line: string): void };
}): Logger {
  const { level, secrets, to = destination(2) } = options;
  const veil = createVeil(secrets);
  return pino(
    {
      level,
      base: null,
      serializers: { error: pino.stdSerializers.err },
      hooks: { streamWrite: veil },
    },
    to,
  );
}
