/** Words in `transferability.fingerprints`, in addition to those of `outcome`. */
export const patternMeanings = {
  'contract-wallets-blocked': 'a contract wallet cannot trade',
  'contract-wallets-taxed': 'a contract wallet pays a higher tax; reasons states it',
  'same-block-sale-blocked': 'a sale in the block of the purchase is refused',
  'next-block-sale-blocked': 'a sale in the block after the purchase is refused',
  'gas-price-dependent': 'a high gas price makes a trade fail, or raises its tax',
  'receiver-cannot-sell': 'a wallet that received tokens by transfer cannot sell',
  'size-limited': 'the requested size cannot be bought or sold at once; a part of it can',
  'purchase-tax': 'buyTaxRaw is above zero',
  'sale-tax': 'sellTaxRaw is above zero',
  'sale-tax-changes': 'the tax of a sale depends on the time since the purchase; reasons lists the taxes',
  'transfer-tax': 'a transfer between wallets is taxed',
  'tax-differs-by-pool': 'the sale tax differs between pools; note lists the taxes',
  'lies-to-simulations': 'sales work only if a simulation replaces the router',
  'refuses-simulations': 'sales are refused only if a simulation replaces the router',
  rebasing: 'balances change without a transfer',
  paused: 'paused() returns true',
  'proxy-eip-1967': 'a proxy with the storage slots of EIP-1967',
  'proxy-beacon': 'a beacon proxy',
  'proxy-minimal': 'a minimal clone (EIP-1167)',
  'proxy-eip-897': 'a proxy that names its implementation (EIP-897)',
  'proxy-zeppelinos': "a proxy with ZeppelinOS's storage slot",
  'proxy-eip-1822': 'a proxy with the storage slot of EIP-1822',
  'proxy-diamond': 'a diamond (EIP-2535)',
  'blacklist-function': 'the code contains a function whose name suggests a blacklist',
  'limit-function': 'the code contains a function whose name suggests a limit on trades',
  'mint-function': 'the code contains a function whose name suggests a mint',
  'pause-function': 'the code contains a function whose name suggests a pause',
  'tax-function': 'the code contains a function whose name suggests a tax',
  'b20-asset': 'a B20 asset: the node executes the token, and its roles and policies decide',
  'b20-stablecoin': 'a B20 stablecoin: the node executes the token, and its roles and policies decide',
  'transfer-policy': 'a policy of the B20 token decides who may send, receive or move it',
  'owner-can-block-a-holder':
    'a privileged account can block the sales of one holder: shown by a simulated call, or by roles and policies of a B20 token',
  'owner-can-block-all-sales':
    'a privileged account can block all sales: shown by a simulated call, or by roles and policies of a B20 token',
  'owner-can-limit-trades': "a privileged account's simulated call limits the size or time of trades",
  'owner-can-raise-the-tax': "a privileged account's simulated call raises the tax",
  'owner-can-mint':
    'a privileged account can mint, or raise a balance: shown by a simulated call, or by roles and policies of a B20 token',
  'owner-can-seize-balances':
    'a privileged account can take tokens from a holder: shown by a simulated call, or by roles and policies of a B20 token',
} as const;

export type Pattern = keyof typeof patternMeanings;
