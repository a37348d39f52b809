import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TruefillError } from '../errors.ts';
import { isRecord } from '../pay/isRecord.ts';

/** The content of a configuration file: defaults for options. `maxUsd` in US dollars. */
export interface FileConfig {
  url?: string;
  chain?: string;
  payOn?: string;
  maxUsd?: number;
}

/** The configuration file is invalid. Nothing was sent. */
export class ConfigFileError extends TruefillError {
  override readonly name = 'ConfigFileError';
}

const members: Record<keyof FileConfig, 'string' | 'number'> = {
  url: 'string',
  chain: 'string',
  payOn: 'string',
  maxUsd: 'number',
};

/**
 * Reads the configuration file: TRUEFILL_CONFIG, or `truefill/config.json` in the user's configuration folder. The file of
 * TRUEFILL_CONFIG must exist. Neither may contain a key: the wallet's key is read from the environment only.
 * @throws {ConfigFileError}
 */
export async function readConfigFile(env: Record<string, string | undefined>): Promise<FileConfig> {
  const path = env.TRUEFILL_CONFIG || defaultPath(env);
  if (path === undefined) return {};
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !env.TRUEFILL_CONFIG) return {};
    throw fault(path, `cannot be read (${code})`, 'Check TRUEFILL_CONFIG and the permissions.', cause);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw fault(path, 'is not JSON', 'Write an object like {"url": "https://…", "maxUsd": 0.1}.', cause);
  }
  return assertConfig(path, content);
}

function defaultPath({ XDG_CONFIG_HOME, HOME, USERPROFILE }: Record<string, string | undefined>): string | undefined {
  const home = HOME || USERPROFILE;
  const folder = XDG_CONFIG_HOME || (home ? join(home, '.config') : undefined);
  return folder === undefined ? undefined : join(folder, 'truefill', 'config.json');
}

function assertConfig(path: string, content: unknown): FileConfig {
  if (!isRecord(content)) throw fault(path, 'is not a JSON object', 'Write an object like {"maxUsd": 0.1}.');
  for (const [name, value] of Object.entries(content)) {
    const type = Object.hasOwn(members, name) ? members[name as keyof FileConfig] : undefined;
    // The message does not contain the value, because it may be a key.
    if (type === undefined)
      throw fault(
        path,
        `has the unknown member ${name.slice(0, 40)}`,
        `Known: ${Object.keys(members).join(', ')}. The key belongs in TRUEFILL_KEY.`,
      );
    if (typeof value !== type) throw fault(path, `has a ${name} that is a ${typeof value}`, `It must be a ${type}.`);
  }
  const { maxUsd } = content;
  if (typeof maxUsd === 'number' && !(Number.isFinite(maxUsd) && maxUsd >= 0))
    throw fault(path, `has maxUsd ${maxUsd}`, 'It must be 0 or more US dollars.');
  return content;
}

const fault = (path: string, problem: string, advice: string, cause?: unknown) =>
  new ConfigFileError(`The configuration file ${path} ${problem}. ${advice} Nothing was sent or charged.`, { cause });
