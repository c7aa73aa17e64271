// What pages of the console do without a script of their own. Nothing is inline: the policy of the pages refuses it.
document.addEventListener('change', event => {
  if (event.target.matches('[data-submits-on-change]')) event.target.form.requestSubmit();
});

// A field that grows with its lines, where the browser does not do that by itself.
const fit = field => { field.style.height = 'auto'; field.style.height = `${field.scrollHeight + 2}px`; };
const fitAll = () => document.querySelectorAll('textarea[data-grows]').forEach(fit);

// What somebody tries stays in this tab until it is closed or somebody logs in; it is never sent anywhere to be stored.
const KEPT = 'tried:';
const keep = field => sessionStorage.setItem(KEPT + field.dataset.kept, field.value);
const bringBack = field => {
  const kept = sessionStorage.getItem(KEPT + field.dataset.kept);
  if (kept === null || kept === field.value) return;
  field.value = kept;
  field.dispatchEvent(new Event('input', {bubbles: true}));
};

// Results are old from the first change until those of the last change are there.
let changes = 0, sent = 0;
const markOld = isOld => {
  const note = document.getElementById('old-results');
  if (!note) return;
  note.hidden = !isOld;
  document.getElementById('rule-check').classList.toggle('is-old', isOld);
};

document.addEventListener('DOMContentLoaded', () => {
  if (location.pathname.endsWith('/login/')) sessionStorage.clear();
  document.querySelectorAll('[data-kept]').forEach(bringBack);
  fitAll();
});
document.addEventListener('input', event => {
  const field = event.target;
  if (field.matches('textarea[data-grows]')) fit(field);
  if (field.dataset.kept) keep(field);
  if (field.dataset.picks) field.form.querySelector(`[value="${field.dataset.picks}"]`).checked = true;
  if (field.form?.id === 'rule-form') { changes += 1; markOld(true); }
});
document.addEventListener('htmx:beforeRequest', event => { if (event.target.id === 'rule-form') sent = changes; });
document.addEventListener('htmx:afterSwap', event => { if (event.target.id === 'rule-check' && sent === changes) markOld(false); });
// Boxes that scroll are landmarks with one and the same name otherwise. Named before they are made.
document.addEventListener('DOMContentLoaded', () => {
  for (const box of document.querySelectorAll('[data-simplebar]')) {
    const name = box.id === 'nav-sidebar-apps' ? 'Pages' : box.closest('#changelist-filter') ? 'Filters' : 'Table';
    box.dataset.simplebarAriaLabel = name;
  }
});
