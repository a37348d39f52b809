/** The package's own types are not reachable under its `node` export; this is the part that is used. */
declare module 'evmole' {
  export function contractInfo(
    code: string,
    options: { selectors?: boolean; arguments?: boolean; stateMutability?: boolean },
  ): { functions?: { selector: string; arguments?: string; stateMutability?: string }[] };
}
