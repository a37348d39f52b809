import { destination, type Logger, pino } from 'pino';
import { createRedactor } from './redaction/createRedactor.ts';

/**
 * The process's log: JSON lines on stderr. Stdout is reserved for the start banner.
 * @param secrets texts that no line may contain: keys, and URLs that contain keys
 */
export function createLogger(options: {
  level: string;
  secrets: readonly string[];
  to?: { write(line: string): void };
}): Logger {
  const { level, secrets, to = destination(2) } = options;
  const redact = createRedactor(secrets);
  return pino(
    {
      level,
      base: null,
      serializers: { error: pino.stdSerializers.err },
      hooks: { streamWrite: (line) => escapeControls(redact(line)) },
    },
    to,
  );
}

/**
 * Characters that JSON does not escape and that can control a terminal: C1 controls, direction marks, separators.
 * A client can put them into a header or a path.
 */
const controls = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

const escapeControls = (line: string): string =>
  line.replace(controls, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
