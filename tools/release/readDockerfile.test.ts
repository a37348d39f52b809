import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommand, readDockerfile } from './readDockerfile.ts';

test('returns the words of CMD and HEALTHCHECK in exec form', async () => {
  expect(readCommand('["node", "start.mjs"]')).toEqual(['node', 'start.mjs']);
  expect(readCommand('--interval=10s --retries=3 CMD ["node", "-e", "a[0]"]')).toEqual(['node', '-e', 'a[0]']);
  const text = await readFile(join(import.meta.dirname, '..', '..', 'ops', 'Dockerfile'), 'utf8');
  const steps = readDockerfile(text).flatMap((stage) => stage.steps);
  const commands = steps.filter(({ instruction }) => ['CMD', 'HEALTHCHECK'].includes(instruction));
  expect(commands.map(({ rest }) => readCommand(rest)[0])).toEqual(['node', 'node']);
});

test.each(['echo 1', 'echo [1]', '--interval=10s CMD exit 1', ''])('rejects the shell form `%s`', (rest) => {
  expect(() => readCommand(rest)).toThrow(SyntaxError);
});
