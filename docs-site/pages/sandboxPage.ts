import type { SandboxBody } from '../../router/index.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { table } from '../table.ts';

/** Longer symbols are cut: one of the test tokens has a symbol of 100,000 bytes. */
const longestSymbol = 24;
const shorten = (text: string) => (text.length > longestSymbol ? `${text.slice(0, longestSymbol)}…` : text);

/** `GET /sandbox` for people; programs get the same as JSON. */
export function sandboxPage({ chains, wallets, solana, tokens }: SandboxBody): Page {
  return {
    path: '/sandbox',
    title: 'The sandbox: wallets and tokens',
    about: 'Local chains, funded wallets with public keys, and every seeded token of this sandbox.',
    sideLinks: [
      { href: '#chains', name: 'Chains' },
      { href: '#wallets', name: 'Wallets' },
      ...Object.keys(chains).map((chain) => ({ href: `#tokens-${chain}`, name: `Tokens on ${chain}` })),
    ],
    body: html`
<h1>The sandbox</h1>
<p class="lead">Everything here is local and worthless, and every key is public. Never send real money to these addresses. Programs get this page as JSON, for example with <code>curl</code>.</p>
<h2 id="chains">Chains</h2>
${textTable(
  'Chains',
  ['Chain', 'Id', 'JSON-RPC'],
  [
    ...Object.entries(chains).map(([name, { chainId, rpcUrl }]) => [name, String(chainId), rpcUrl]),
    ...(solana ? [['solana', solana.network, solana.rpcUrl]] : []),
  ],
)}
<h2 id="wallets">Wallets</h2>
<dl>
${[...wallets, ...(solana?.wallets ?? [])].map(
  (wallet) =>
    html`<dt>${wallet.role}</dt><dd>${wallet.about}<br><code>${wallet.address}</code>${keyHtml(wallet)}</dd>\n`,
)}
</dl>
${Object.keys(chains).map(
  (chain) => html`<h2 id="tokens-${chain}">Tokens on ${chain}</h2>
${textTable(
  `Tokens on ${chain}`,
  ['Symbol', 'What it is', 'Address'],
  tokens
    .filter((token) => token.chain === chain)
    .map(({ symbol, about, address }) => [shorten(symbol), about, address]),
)}
`,
)}`,
  };
}

function keyHtml(wallet: { privateKey?: string | undefined } | { secretKey?: string | undefined }) {
  const key = 'privateKey' in wallet ? wallet.privateKey : 'secretKey' in wallet ? wallet.secretKey : undefined;
  return key !== undefined && html`<br>Key: <code>${key}</code>`;
}

/** A table of texts, in which addresses and URLs are code. */
function textTable(label: string, heads: readonly string[], rows: readonly (readonly string[])[]) {
  const cells = (row: readonly string[]) =>
    row.map((text) => (/^(0x|http)/.test(text) ? html`<code>${text}</code>` : text));
  return table(
    heads,
    rows.map((row) => ({ cells: cells(row) })),
    { label },
  );
}
