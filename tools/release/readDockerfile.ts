/** One stage of a Dockerfile, limited to the instructions in this repository's Dockerfile. */
export interface Stage {
  name: string;
  /** `node:20.20-bookworm-slim` */
  image: string;
  steps: { instruction: string; rest: string }[];
}

const supportedInstructions = new Set([
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'ENV',
  'USER',
  'VOLUME',
  'EXPOSE',
  'STOPSIGNAL',
  'HEALTHCHECK',
  'CMD',
]);

/**
 * The stages of a Dockerfile in order.
 * @throws {SyntaxError} for an instruction that this repository's Dockerfile does not use
 */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.trim() !== '')
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [instruction = '', ...words] = line.split(' ');
    const rest = words.join(' ').trim();
    if (!supportedInstructions.has(instruction)) throw new SyntaxError(`${instruction} is not supported.`);
    if (instruction === 'FROM') {
      const [image = '', , name = String(stages.length)] = rest.split(/\s+/);
      stages.push({ name, image, steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new SyntaxError(`${instruction} precedes the first FROM.`);
    stage.steps.push({ instruction, rest });
  }
  return stages;
}

/**
 * The words of `CMD ["a", "b"]`, also after options, as in `HEALTHCHECK --interval=30s CMD ["a"]`.
 * @throws {SyntaxError} the command is in shell form
 */
export function readCommand(rest: string): string[] {
  const [, list] = /^(?:(?:--\S+ +)*CMD +)?(\[.*\])$/.exec(rest) ?? [];
  if (list === undefined) throw new SyntaxError(`Expected a command as a JSON array, got ${rest}.`);
  return JSON.parse(list) as string[];
}
