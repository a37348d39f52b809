/** How a code block is checked. */
export type Way =
  | {
      kind: 'shell' | 'program';
      prints: RegExp;
      before: string;
      after: string;
      fill: readonly (readonly [string, string])[];
    }
  | { kind: 'json'; like: Actual | undefined }
  | { kind: 'syntax'; of: 'python' | 'go' }
  | { kind: 'configuration' }
  | { kind: 'mcpHost' }
  | { kind: 'testedBy'; file: string; title: string }
  | { kind: 'notRun'; reason: string };

/** What the service returned in this run. */
export type Actual = 'offer' | 'payment' | 'receipt' | 'error';

interface Around {
  /** Lines that run before the snippet, for what its page defines elsewhere. */
  before?: string;
  after?: string;
  /** Replacements of what a reader has to fill in. */
  fill?: readonly (readonly [string, string])[];
}

const around = ({ before = '', after = '', fill = [] }: Around = {}) => ({ before, after, fill });

/** Bash lines, run in a clone; the output must match. */
export const shell = (prints: RegExp, more?: Around): Way => ({ kind: 'shell', prints, ...around(more) });
/** A TypeScript program, run by tsx; the output must match. */
export const program = (prints: RegExp, more?: Around): Way => ({ kind: 'program', prints, ...around(more) });
/** JSON. With `like`, each member that it shows has the value that the service returned; `…` stands for any text. */
export const json = (like?: Actual): Way => ({ kind: 'json', like });
export const syntax = (of: 'python' | 'go'): Way => ({ kind: 'syntax', of });
/** Environment variables of a live service. */
export const configuration: Way = { kind: 'configuration' };
/** The configuration of an MCP host: starts the command and lists its tools. */
export const mcpHost: Way = { kind: 'mcpHost' };
/** Run by a test elsewhere. A title with `%` is the one that vitest formats. */
export const testedBy = (file: string, title: string): Way => ({ kind: 'testedBy', file, title });
export const notRun = (reason: string): Way => ({ kind: 'notRun', reason });

/** Names that the README of the client uses in its fragments. `account` holds WETH. */
const names = `import { readFileSync } from 'node:fs';
import { privateKeyToAccount } from 'viem/accounts';
const [account, url, rpcUrl] = [privateKeyToAccount(process.env.KEY), process.env.TRUEFILL_URL, 'http://127.0.0.1:8545'];
`;
const stored = "JSON.parse(readFileSync('answer.json', 'utf8'))";

/** For fragments that use a bought quote. */
export const withQuote = `${names}const quote = ${stored};\nconst { tokenIn, tokenOut } = quote;\n`;
/** For fragments that buy one. */
export const withTokens = `${names}const { tokenIn, tokenOut } = ${stored};\nconst wallet = privateKeyToAccount(process.env.TRUEFILL_KEY);\n`;
