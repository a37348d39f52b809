/** One spelling for each wallet, whichever network it pays on: base58 tells letter cases apart, hexadecimal does not. */
export const walletOf = ({ network, payer }: { network: string; payer: string }): string =>
  network.startsWith('eip155:') ? payer.toLowerCase() : payer;
