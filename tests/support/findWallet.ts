/** Returns the wallet with this role. @throws if none has it */
export function findWallet<W extends { role: string }>(wallets: readonly W[], role: string): W {
  const wallet = wallets.find((entry) => entry.role === role);
  if (!wallet) throw new Error(`The sandbox has no wallet ${role}.`);
  return wallet;
}
