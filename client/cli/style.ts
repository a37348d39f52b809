/** Start and end codes of ECMA-48 SGR. */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const;

export type StyleName = keyof typeof codes;

/** Styles a text that is already sanitized. */
export type Paint = (style: StyleName, text: string) => string;

export const plain: Paint = (_style, text) => text;

const coloured: Paint = (style, text) => {
  const [start, end] = codes[style];
  return `\u001b[${start}m${text}\u001b[${end}m`;
};

/**
 * Colours only for a terminal. NO_COLOR (no-color.org) turns them off; FORCE_COLOR turns them on, for example in CI.
 */
export function choosePaint(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): Paint {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return coloured;
  return stream.isTTY && env.TERM !== 'dumb' ? coloured : plain;
}

/** The style of a severity of a flag or a signal. */
export function severityStyle(severity: string): StyleName {
  if (severity === 'critical' || severity === 'high') return 'red';
  return severity === 'warn' || severity === 'medium' || severity === 'unknown' ? 'yellow' : 'dim';
}
