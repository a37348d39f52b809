/** The wallet's address in one spelling: EVM addresses in lower case; base58 is case-sensitive. */
export const walletOf = ({ network, payer }: { network: string; payer: string }): string =>
  network.startsWith('eip155:') ? payer.toLowerCase() : payer;
