/** One spelling for each wallet on all networks: base58 is case-sensitive, hexadecimal is not. */
export const walletOf = ({ network, payer }: { network: string; payer: string }): string =>
  network.startsWith('eip155:') ? payer.toLowerCase() : payer;
