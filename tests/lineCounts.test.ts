import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript-5';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const maxFileLines = 300;
const maxFunctionLines = 80;
/** Hidden folders, installed packages, the built client and compiled contracts. */
const foreign = /^(\.|dist$)|(^|\/)node_modules(\/|$)|^contracts\/artifacts\//;

/** A function with the number of its lines, from its first to its last, with comments and blank lines. */
interface FunctionLines {
  firstLine: number;
  lines: number;
}

async function findFiles(): Promise<string[]> {
  const folders = (await readdir(root, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && !foreign.test(entry.name),
  );
  const found = await Promise.all(
    folders.map(async ({ name: folder }) =>
      (await readdir(join(root, folder), { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  );
  return found.flat().filter((file) => /\.(ts|mts|mjs|sol)$/.test(file) && !foreign.test(file));
}

/** All functions of a script, callbacks included. A `describe` callback is a group of tests, not a function. */
function findScriptFunctions(text: string): FunctionLines[] {
  const source = ts.createSourceFile('script.ts', text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: FunctionLines[] = [];
  const isGroup = ({ parent }: ts.Node) =>
    ts.isCallExpression(parent) && /^describe\b/.test(parent.expression.getText(source));
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && !isGroup(node)) {
      const firstLine = lineAt(node.getStart(source));
      found.push({ firstLine, lines: lineAt(node.end) - firstLine + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The functions of a Solidity file, which end with a bracket at their own indentation. */
function findSolidityFunctions(text: string): FunctionLines[] {
  const pattern = /^( *)(?:function \w+|constructor|receive|fallback|modifier \w+)\b[^;{]*\{\n(?:.*\n)*?\1\}/gm;
  return [...text.matchAll(pattern)].map(({ 0: code, index }) => ({
    firstLine: countLines(text.slice(0, index)) + 1,
    lines: countLines(code),
  }));
}

const countLines = (text: string): number => text.trimEnd().split('\n').length;

const files = await Promise.all(
  (await findFiles()).map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })),
);

test('finds functions in scripts and contracts', () => {
  const arrow = 'const a = () => {\n  // A comment.\n\n  return 1;\n};\n';
  expect(findScriptFunctions(`\n${arrow}`)).toEqual([{ firstLine: 2, lines: 5 }]);
  expect(findScriptFunctions(`describe('a', () => {\n  test('b', () => {\n  });\n});\n`)).toEqual([
    { firstLine: 2, lines: 2 },
  ]);
  const contract =
    'contract A {\n    function a()\n        external\n    {\n        b();\n    }\n\n    uint256 c;\n}\n';
  expect(findSolidityFunctions(contract)).toEqual([{ firstLine: 2, lines: 5 }]);
  for (const ending of ['.ts', '.mjs', '.sol']) expect(files.some(({ file }) => file.endsWith(ending))).toBe(true);
});

test(`no file has more than ${maxFileLines} lines`, () => {
  expect(files.filter(({ text }) => countLines(text) > maxFileLines).map(({ file }) => file)).toEqual([]);
});

test(`no function has more than ${maxFunctionLines} lines`, () => {
  const long = files.flatMap(({ file, text }) => {
    const functions = file.endsWith('.sol') ? findSolidityFunctions(text) : findScriptFunctions(text);
    return functions
      .filter(({ lines }) => lines > maxFunctionLines)
      .map(({ firstLine, lines }) => `${file}:${firstLine} has a function of ${lines} lines`);
  });
  expect(long).toEqual([]);
});
