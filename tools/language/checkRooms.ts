import { type Finding, findRetiredWords } from './retiredWords.ts';

export interface TrackedFile {
  path: string;
  text: string;
}

const isIn = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);

const describe = (path: string, { line, word, instead }: Finding): string =>
  `${line === 0 ? `${path} (file name)` : `${path}:${line}`}: "${word}" is retired. Write: ${instead}.`;

/**
 * Checks tracked files for retired words. Returns one sentence per fault; empty when the files are clean.
 * @param unclean folders and files whose findings are ignored; one without findings is itself a fault
 * @param technical words by file that have a technical sense there
 */
export function checkRooms(
  files: readonly TrackedFile[],
  unclean: readonly string[],
  technical: Record<string, readonly string[]> = {},
): string[] {
  const found = files.map(({ path, text }) => ({ path, findings: findRetiredWords(path, text, technical[path]) }));
  const faults = found
    .filter(({ path }) => !unclean.some((room) => isIn(path, room)))
    .flatMap(({ path, findings }) => findings.map((finding) => describe(path, finding)));
  const clean = unclean.filter((room) => !found.some(({ path, findings }) => findings.length > 0 && isIn(path, room)));
  return [...faults, ...clean.map((room) => `${room} has no retired words: remove it from uncleanRooms.`)];
}
