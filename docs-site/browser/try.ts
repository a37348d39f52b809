import type { Progress } from '../../client/index.ts';
import { answerView, receiptView } from './answerView.ts';
import { copyBy } from './copy.ts';
import { el } from './dom.ts';
import { networkName } from './explorers.ts';
import { freeCallIsUsed, noteFreeCall } from './freeCall.ts';
import { isKept, keepAnswer, showKept, watchKept } from './keptAnswers.ts';
import { knownNames } from './knownNames.ts';
import type { Bought } from './pay.ts';
import { dropPending, readPending, watchPending } from './pendingPayments.ts';
import { fromFragment, type SharedAnswer, toFragment } from './permalink.ts';
import { loadTokens, nameKey, type TokenFacts } from './tokens.ts';
import { type TryForm, tryForm } from './tryForm.ts';

const form = document.querySelector<HTMLFormElement>('#try-form');
const shown = document.querySelector<HTMLElement>('#try-answer');
const kept = document.querySelector<HTMLElement>('#kept-answers');
if (form && shown && kept) void start(form, shown, kept);

interface Box {
  form: HTMLFormElement;
  fields: TryForm;
  /** Where the answer is shown. */
  shown: HTMLElement;
  /** The list of answers that were bought in this browser. */
  kept: HTMLElement;
  names: Map<string, TokenFacts>;
  payWith: 'demo' | 'browser';
  /** Symbols in the fields have no address before the tokens are there. */
  loading: Promise<unknown>;
}

/** The form on the home page: sends the request, pays, shows the answer, and adds it to the address for sharing. */
async function start(form: HTMLFormElement, shown: HTMLElement, kept: HTMLElement): Promise<void> {
  const fields = tryForm(form, () => noteChange(box));
  const payWith = form.dataset.mode === 'sandbox' ? 'demo' : 'browser';
  const loading = loadTokens(form.dataset.mode, form.dataset.tokens ?? '');
  const box: Box = { form, fields, shown, kept, names: new Map(knownNames), payWith, loading };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(box);
  });
  form.querySelector('.discard')?.addEventListener('click', () => {
    for (const pending of readPending()) dropPending(pending);
    showMessage(form, 'Discarded. It may have been charged; its answer can no longer be fetched from here.');
    showButtons(box);
  });
  addEventListener('hashchange', () => void showShared(box));
  watchPending(() => showButtons(box));
  const [pending] = readPending();
  showButtons(box);
  if (pending) {
    showMessage(
      form,
      'A payment was sent from this browser and its answer has not arrived. Fetching it costs nothing more.',
      true,
    );
  }
  const tokens = await loading;
  for (const token of tokens) box.names.set(nameKey(token.chain, token.address), token);
  fields.offer(tokens);
  listKept(box);
  watchKept(() => listKept(box));
  if (pending) showRequest(box, pending);
  await showShared(box);
}

/** New input: the answer on the page stays, and is marked as one to an earlier request. */
function noteChange({ form, fields, shown, payWith }: Box): void {
  const isMarked = shown.querySelector('.earlier') !== null;
  if (shown.hasChildNodes() && !isMarked) {
    shown.prepend(el('p', { class: 'earlier', role: 'note' }, 'This is the answer to your earlier request.'));
  }
  if (readPending().length === 0) showMessage(form, '');
  showButtons({ form, fields, payWith });
}

function listKept(box: Box): void {
  showKept(box.kept, box.names, (answer) => void show(box, answer));
}

/** While a payment has no answer, the button fetches that answer instead of paying again. */
function showButtons({ form, fields, payWith }: Pick<Box, 'form' | 'fields' | 'payWith'>): void {
  const pending = readPending().length > 0;
  const price = fields.priceUsd();
  const mayBeFree = fields.mayBeFree() && !freeCallIsUsed();
  const button = form.querySelector<HTMLButtonElement>('.buy');
  const label = mayBeFree ? `Send: free, or ${price} USD if used before` : `Pay ${price} USD and send`;
  if (button) button.textContent = pending ? 'Fetch the answer you paid for' : label;
  const discard = form.querySelector<HTMLButtonElement>('.discard');
  if (discard) discard.hidden = !pending;
  const cost = form.querySelector('.cost');
  const wallet = payWith === 'demo' ? "the sandbox's demo wallet" : "this browser's wallet";
  if (cost) {
    cost.textContent = mayBeFree
      ? `The first check of a wallet is free; later ones cost ${price} USD. Signed by ${wallet}.`
      : `Paid by ${wallet}. A request that is refused costs nothing.`;
  }
  // The fields describe the next request, not the one that was paid.
  form.noValidate = pending;
}

function showMessage(form: HTMLFormElement, text: string, bad = false): void {
  const output = form.querySelector('output');
  if (!output) return;
  output.className = bad ? 'notice bad' : 'notice';
  output.textContent = text;
}

function showRequest({ fields }: Box, { path, body }: { path: string; body: string }): void {
  fields.show(path, JSON.parse(body));
}

async function submit(box: Box): Promise<void> {
  const { form, fields, shown, payWith, loading } = box;
  const [pending] = readPending();
  if (!pending) await loading;
  const call = pending ? { path: pending.path, body: JSON.parse(pending.body) } : fields.toCall();
  shown.replaceChildren();
  // The answer must belong to what the fields show.
  fields.lock(true);
  showMessage(form, pending ? 'Sending the same payment again…' : opening[payWith]);
  const { buyAnswer, explain, fetchPaidAnswer } = await import('./pay.ts');
  const onProgress = (progress: Progress) => showMessage(form, describe(progress));
  try {
    const bought = await (pending
      ? fetchPaidAnswer(pending, onProgress)
      : buyAnswer(call, {
          payWith,
          payOn: fields.payOn(),
          networks: (form.dataset.networks ?? '').split(' '),
          chainId: fields.chainId(),
          priceUsd: Number(fields.priceUsd()),
          onProgress,
          say: (text) => showMessage(form, text),
        }));
    if (fields.mayBeFree() && bought.receipt) noteFreeCall();
    if (pending) fields.show(call.path, call.body);
    showMessage(form, bought.receipt?.free ? 'Answered. Nothing was charged.' : 'Paid and answered.');
    const answered = { ...bought, request: call };
    keepAnswer(answered);
    listKept(box);
    await show(box, answered);
  } catch (error) {
    showMessage(form, explain(error), true);
  } finally {
    fields.lock(false);
    showButtons(box);
  }
}

const opening = { demo: 'The demo wallet signs…', browser: 'Waiting for your wallet…' };

function describe(progress: Progress): string {
  switch (progress.stage) {
    case 'priced':
      return `${progress.priceUsd} USD on ${networkName(progress.network)}: waiting for the signature…`;
    case 'settling':
      return 'The payment settles, the answer follows…';
    case 'waiting':
      return `No answer yet (${progress.reason}). Sending the same payment again in ${Math.ceil(progress.waitMs / 1000)} s…`;
    case 'switching':
      return `${networkName(progress.from)} cannot settle the payment now and charged nothing. Paying on ${networkName(progress.network)} instead…`;
  }
}

/** Shows an answer that was bought here with its request, and puts it into the address. */
async function show(box: Box, shared: SharedAnswer): Promise<void> {
  box.fields.show(shared.request.path, shared.request.body);
  render(box, shared);
  showButtons(box);
  history.replaceState(null, '', location.pathname + (await toFragment(shared)));
  box.shown.scrollIntoView({ block: 'start', behavior: 'smooth' });
}

function render({ shown, names }: Box, { answer, receipt }: Bought, note?: HTMLElement): void {
  const view = answerView(answer, names, note === undefined);
  const json = el(
    'details',
    {},
    el('summary', {}, 'The JSON'),
    el('pre', { tabindex: 0 }, JSON.stringify(answer, null, 2)),
  );
  const link = el('button', { type: 'button', class: 'share' }, 'Copy link to this answer');
  link.addEventListener('click', () => void copyBy(link, location.href));
  const about = el(
    'p',
    { class: 'under' },
    link,
    ' The answer is in the link itself, after the #. A browser does not send that part to the service.',
  );
  const paid = receipt && receiptView(receipt, receipt.replayed);
  shown.replaceChildren(...[note, view, paid, about, json].filter((node) => node !== null && node !== undefined));
}

/** Shows the answer that the address carries. */
async function showShared(box: Box): Promise<void> {
  try {
    const shared = await fromFragment(location.hash);
    if (!shared) return;
    box.fields.show(shared.request.path, shared.request.body);
    const note = el(
      'p',
      { class: 'from-link', role: 'note' },
      'This answer came with the link, and the service did not check it. Anyone can edit a link: send the request again to be sure.',
    );
    render(box, shared, isKept(shared) ? undefined : note);
    showButtons(box);
  } catch {
    // Whatever is wrong with the text of a link, it is damaged.
    box.shown.replaceChildren();
    showMessage(box.form, 'The link is damaged: it carries no readable answer.', true);
  }
}
