import { destination, type Logger, pino } from 'pino';
import { createVeil } from './redaction/createVeil.ts';

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
      hooks: { streamWrite: (line) => plain(veil(line)) },
    },
    to,
  );
}

/**
 * JSON leaves characters as they are that turn a terminal's text around or steer it: C1 controls, direction marks,
 * separators. They come from whoever wrote a header or a path.
 */
const wild = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

const plain = (line: string): string =>
  line.replace(wild, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
