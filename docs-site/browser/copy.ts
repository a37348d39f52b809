import { el } from './dom.ts';

const shownMs = 1_500;

/** Copies a text, and says so on the button for a moment. */
export async function copyBy(button: HTMLButtonElement, text: string): Promise<void> {
  const label = button.textContent ?? '';
  button.textContent = (await copy(text)) ? 'Copied' : 'Not copied: select the text';
  setTimeout(() => {
    button.textContent = label;
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
