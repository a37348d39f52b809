import { el } from './dom.ts';

const shownMs = 1_500;

/** Copies a text. The button shows the result for 1.5 s. */
export async function copyBy(button: HTMLButtonElement, text: string): Promise<void> {
  // A second click within that time must not take the result for the label.
  button.dataset.label ??= button.textContent ?? '';
  const { label } = button.dataset;
  button.textContent = (await copy(text)) ? 'Copied' : 'Not copied: select the text';
  setTimeout(() => {
    button.textContent = label ?? '';
  }, shownMs);
}

/** Pages over plain http have no clipboard API; there the browser copies a selected field. */
async function copy(text: string): Promise<boolean> {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (done) return true;
  const field = el('textarea', { readonly: '', 'aria-hidden': 'true' });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}
