import { answerView, receiptView } from './answerView.ts';
import { knownNames } from './knownNames.ts';
import type { PayWith } from './wallets.ts';

/**
 * Starts Swagger UI. "Execute" on a paid path pays with the wallet selected beside the button, and a view of the answer
 * is shown above its JSON.
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
  var SwaggerUIBundle: (options: Record<string, unknown>) => unknown;
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

/** The paid calls first; the document lists its tags by name. */
const tagOrder = ['quote', 'pretrade', 'free'];

const dark = matchMedia('(prefers-color-scheme: dark)');
const followColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColours);
followColours();
const root = document.querySelector('#swagger-ui');
if (root) new MutationObserver(() => repairAccessibility(root)).observe(root, { childList: true, subtree: true });
void start();

async function start(): Promise<void> {
  const response = await fetch('/openapi.json');
  globalThis.SwaggerUIBundle({
    // The page may send requests to its own origin only, which need not be the public one.
    spec: { ...withTextSignature(await response.json()), servers: [{ url: location.origin }] },
    dom_id: '#swagger-ui',
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    // Its colours have too little contrast.
    syntaxHighlight: false,
    tagsSorter: (a: string, b: string) => tagOrder.indexOf(a) - tagOrder.indexOf(b),
    plugins: [truefillPlugin],
    requestInterceptor: payWhenExecuted,
  });
}

interface Parameter {
  name: string;
  schema?: Record<string, unknown>;
}

/** Names fields and makes scrolling blocks reachable by keyboard: Swagger UI leaves both out. */
function repairAccessibility(root: Element): void {
  for (const field of root.querySelectorAll('textarea:not([aria-label])'))
    field.setAttribute('aria-label', 'Request body');
  for (const field of root.querySelectorAll('select:not([aria-label])')) field.setAttribute('aria-label', 'Choose');
  for (const block of root.querySelectorAll('pre:not([tabindex])')) block.setAttribute('tabindex', '0');
}

/** Swagger UI renders base64 content as a file upload; PAYMENT-SIGNATURE is pasted as text. */
function withTextSignature<Spec extends { paths: Record<string, Record<string, { parameters?: Parameter[] }>> }>(
  spec: Spec,
): Spec {
  for (const operations of Object.values(spec.paths)) {
    for (const { parameters = [] } of Object.values(operations)) {
      for (const parameter of parameters) {
        if (parameter.name === 'PAYMENT-SIGNATURE') parameter.schema = { type: 'string' };
      }
    }
  }
  return spec;
}

/** Swagger UI calls this before each request. Only calls of paid paths are paid. */
function payWhenExecuted(request: SwaggerRequest): SwaggerRequest {
  const { pathname } = new URL(request.url, location.href);
  if (request.method !== 'POST' || !pathname.startsWith('/v1/')) return request;
  request.userFetch = async (input, init) => {
    const { explain, openPayingFetch } = await import('./pay.ts');
    const pay = await openPayingFetch(payWith);
    // Swagger UI shows the message of an error; wallets throw plain objects too.
    return pay(input, init).catch((thrown) => {
      throw new Error(explain(thrown), { cause: thrown });
    });
  };
  return request;
}

function truefillPlugin({ React }: { React: React }): unknown {
  const h = React.createElement.bind(React);
  return {
    // The page has a heading of its own, the description is in the guides, and there is one server.
    components: { InfoContainer: () => null, ServersContainer: () => null },
    wrapComponents: {
      // A link inside a button cannot be reached by a screen reader; the page's own list links to the calls.
      DeepLink: (): Component => (props) => h('span', null, props.text),
      execute:
        (Original: Component): Component =>
        (props) =>
          h(
            'div',
            { className: 'truefill-execute' },
            priceOf(props.operation as Operation | undefined, h),
            h(Original, props),
          ),
      contentType:
        (Original: Component): Component =>
        (props) =>
          h(Original, { ariaLabel: 'Media type', ...props }),
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
}

function priceOf(operation: Operation | undefined, h: React['createElement']): unknown {
  const price =
    operation?.getIn?.(['op', 'x-payment-info', 'price', 'amount']) ??
    operation?.getIn?.(['x-payment-info', 'price', 'amount']);
  if (typeof price !== 'string') return null;
  const free = operation?.getIn?.(['op', 'x-free-trial', 'enabled']) ?? operation?.getIn?.(['x-free-trial', 'enabled']);
  const choose = h(
    'select',
    {
      defaultValue: payWith,
      'aria-label': 'Wallet',
      onChange: (event: { target: { value: PayWith } }) => (payWith = event.target.value),
    },
    ...choices.map(({ value, label }) => h('option', { value, key: value }, label)),
  );
  return h(
    'p',
    { className: 'truefill-price' },
    h('strong', null, `${price} USD`),
    free === true ? ' in USDC (the first call of a wallet is free), paid by ' : ' in USDC, paid by ',
    choose,
  );
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
