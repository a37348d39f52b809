import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

const declared = /^export (?:async function|class|const|function) (\w+)/gm;
/** The names of a list such as `type A, b as c`, without types. */
const valuesOf = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name && !name.startsWith('type '));

/** The file that defines each value of the engine's interface. */
function readDefinitions(engine: string): Map<string, string> {
  const index = readFileSync(join(engine, 'index.ts'), 'utf8');
  const definitions = new Map<string, string>();
  for (const [, list, name = ''] of index.matchAll(/^export (?:\*|\{([^}]*)\}) from '\.\/([^']+)';$/gm)) {
    const file = join(engine, name);
    const values =
      list === undefined
        ? [...readFileSync(file, 'utf8').matchAll(declared)].map(([, value = '']) => value)
        : valuesOf(list);
    for (const value of values) definitions.set(value, file);
  }
  return definitions;
}

/**
 * Imports values of the engine from the files that define them. Each mutation loads the modules of its tests again, and
 * the whole engine takes a second to load, of which payments use a few constants.
 */
export function directImports(root: string): Plugin {
  const engine = join(root, 'engine');
  const definitions = readDefinitions(engine);
  return {
    name: 'direct-imports',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(root) || id.includes('/node_modules/')) return undefined;
      return code.replace(
        /^(import|export) \{([^}]*)\} from '[./]*\/engine\/index\.ts';/gm,
        (_, verb: string, list: string) =>
          valuesOf(list)
            .map((value) => {
              const [name = ''] = value.split(' as ');
              return `${verb} { ${value} } from '${definitions.get(name) ?? join(engine, 'index.ts')}';`;
            })
            .join(' '),
      );
    },
  };
}
