import { type Finding, findRetiredWords } from './retiredWords.ts';

export interface TrackedFile {
  path: string;
  text: string;
}

const describe = (path: string, { line, word, instead }: Finding): string =>
  `${line === 0 ? `${path} (file name)` : `${path}:${line}`}: "${word}" is retired. Write: ${instead}.`;

/**
 * Checks tracked files for retired words. Returns one sentence per finding.
 * @param technical words by file that have a technical sense there
 */
export function checkFiles(files: readonly TrackedFile[], technical: Record<string, readonly string[]> = {}): string[] {
  return files.flatMap(({ path, text }) =>
    findRetiredWords(path, text, technical[path]).map((finding) => describe(path, finding)),
  );
}
