import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCommand, type Stage } from './readDockerfile.ts';

/** Result: the image's root folder and how to run it. */
export interface Played {
  folder: string;
  workdir: string;
  environment: Record<string, string>;
  command: string[];
  healthcheck: string[];
}

/**
 * Executes a Dockerfile's steps in an empty folder: COPY and RUN. Features of a real image are left out: base system,
 * users and ownership.
 *
 * @param source the build context
 * @param into an empty folder; each stage has one beneath it
 * @throws {Error} when a step fails
 */
export function playDockerfile(stages: readonly Stage[], source: string, into: string): Played {
  const played: Played = { folder: '', workdir: '', environment: {}, command: [], healthcheck: [] };
  for (const stage of stages) {
    const folder = join(into, stage.name);
    Object.assign(played, { folder, workdir: folder, environment: {} });
    mkdirSync(folder);
    for (const { instruction, rest } of stage.steps) play(instruction, rest);

    function inside(path: string): string {
      return path.startsWith('/') ? join(folder, path) : join(played.workdir, path);
    }

    function play(instruction: string, rest: string): void {
      if (instruction === 'WORKDIR') {
        played.workdir = inside(rest);
        mkdirSync(played.workdir, { recursive: true });
      }
      if (instruction === 'ENV') {
        for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) {
          played.environment[name] = value.startsWith('/') ? inside(value) : value;
        }
      }
      if (instruction === 'COPY') copy(rest.split(/\s+/));
      if (instruction === 'RUN') run(rest);
      if (instruction === 'CMD') played.command = readCommand(rest);
      if (instruction === 'HEALTHCHECK') played.healthcheck = readCommand(rest);
    }

    function copy(words: string[]): void {
      const [, from] = /^--from=(.+)$/.exec(words[0] ?? '') ?? [];
      const paths = from ? words.slice(1) : words;
      const target = paths.pop() ?? '';
      for (const path of paths) {
        const to = target.endsWith('/') ? join(inside(target), basename(path)) : inside(target);
        cpSync(from ? join(into, from, path) : join(source, path), to, {
          recursive: true,
          filter: (name) => !name.endsWith('.test.ts'),
        });
      }
    }

    function run(line: string): void {
      // The image's users and root do not exist here.
      const here = line.replace(/ && chown \S+ \S+/g, '').replace(/ (\/\w+)/g, ` ${folder}$1`);
      const { status } = spawnSync('sh', ['-ec', here], { cwd: played.workdir, stdio: 'inherit' });
      if (status !== 0) throw new Error(`RUN ${here} ended with ${status}.`);
    }
  }
  return played;
}
