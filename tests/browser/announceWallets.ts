/**
 * A script for a page, to run before its own: announces two wallets by EIP-6963. "Refusing" rejects every request as users
 * do, with a plain object. "Without Base" does not know the chain until the page adds it, and signs with the key.
 */
export const announceWallets = (privateKey: string | undefined): string => `
  globalThis.requestedMethods = [];
  let hasBase = false;
  const signing = {
    async request({ method, params }) {
      requestedMethods.push(method);
      const { privateKeyToAccount } = await import('/assets/demoAccount.js');
      const account = privateKeyToAccount('${privateKey}');
      if (method === 'eth_requestAccounts') return [account.address];
      if (method === 'wallet_addEthereumChain') return (hasBase = true), null;
      if (method === 'wallet_switchEthereumChain') {
        if (!hasBase) throw { code: 4902, message: 'Unrecognized chain ID.' };
        return null;
      }
      const typed = JSON.parse(params[1]);
      delete typed.types.EIP712Domain;
      return account.signTypedData(typed);
    },
  };
  const refusing = { request: () => Promise.reject({ code: 4001, message: 'User rejected the request.' }) };
  const wallets = [['Refusing', refusing], ['Without Base', signing]];
  addEventListener('eip6963:requestProvider', () => {
    for (const [name, provider] of wallets)
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { name }, provider } }));
  });
`;
