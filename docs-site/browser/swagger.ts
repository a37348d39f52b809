import { answerView, receiptView } from './answerView.ts';
import { knownNames } from './knownNames.ts';
import type { PayWith } from './wallets.ts';

/**
 * A plugin for Swagger UI: "Execute" on a paid path pays with the wallet selected beside the button, and a view of the
 * answer is shown above its JSON.
 */

interface SwaggerRequest {
  url: string;
  method?: string;
  userFetch?: typeof fetch;
}

interface Operation {
  get(key: string): unknown;
  getIn?(path: string[]): unknown;
}

interface React {
  createElement(type: unknown, props?: Record<string, unknown> | null, ...children: unknown[]): unknown;
}

type Component = (props: Record<string, unknown>) => unknown;

declare global {
  var truefillPlugin: ((system: { React: React }) => unknown) | undefined;
  var truefillRequest: ((request: SwaggerRequest) => SwaggerRequest) | undefined;
}

const sandbox = document.title.includes('SANDBOX');
let payWith: PayWith = sandbox ? 'demo' : 'none';

// A sandbox must not request a signature from a real wallet.
const choices: { value: PayWith; label: string }[] = [
  sandbox
    ? { value: 'demo', label: 'the demo wallet of the sandbox' }
    : { value: 'browser', label: "this browser's wallet" },
  { value: 'none', label: 'no wallet: show the 402' },
];

/** Swagger UI calls this before each request. Only calls of paid paths are paid. */
globalThis.truefillRequest = (request) => {
  const { pathname } = new URL(request.url, location.href);
  if (request.method !== 'POST' || !pathname.startsWith('/v1/')) return request;
  request.userFetch = async (input, init) => {
    const { openPayingFetch } = await import('./pay.ts');
    const pay = await openPayingFetch(payWith);
    return pay(input, init);
  };
  return request;
};

globalThis.truefillPlugin = ({ React }) => {
  const h = React.createElement.bind(React);
  return {
    wrapComponents: {
      execute:
        (Original: Component): Component =>
        (props) =>
          h(
            'div',
            { className: 'truefill-execute' },
            priceOf(props.operation as Operation | undefined, h),
            h(Original, props),
          ),
      liveResponse:
        (Original: Component): Component =>
        (props) =>
          h(
            'div',
            null,
            h('div', { ref: (node: HTMLElement | null) => node && showAnswer(node, props.response as Operation) }),
            h(Original, props),
          ),
    },
  };
};

function priceOf(operation: Operation | undefined, h: React['createElement']): unknown {
  const price =
    operation?.getIn?.(['op', 'x-payment-info', 'price', 'amount']) ??
    operation?.getIn?.(['x-payment-info', 'price', 'amount']);
  if (typeof price !== 'string') return null;
  const choose = h(
    'select',
    {
      defaultValue: payWith,
      'aria-label': 'Wallet',
      onChange: (event: { target: { value: PayWith } }) => (payWith = event.target.value),
    },
    ...choices.map(({ value, label }) => h('option', { value, key: value }, label)),
  );
  return h('p', { className: 'truefill-price' }, h('strong', null, `${price} USD`), ' in USDC, paid by ', choose);
}

async function showAnswer(node: HTMLElement, response: Operation | undefined): Promise<void> {
  const text = response?.get('text');
  if (typeof text !== 'string' || node.dataset.shown === text) return;
  node.dataset.shown = text;
  const headers = response?.getIn?.(['headers', 'payment-response']);
  const replayed = response?.getIn?.(['headers', 'idempotent-replayed']) === 'true';
  const { readReceipt } = await import('./pay.ts');
  const receipt = readReceipt(typeof headers === 'string' ? headers : null);
  const view = answerView(parse(text), knownNames);
  node.replaceChildren(...[view, receipt && view && receiptView(receipt, replayed)].filter((part) => part !== null));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
