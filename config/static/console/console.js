// What pages of the console do without a script of their own. Nothing is inline: the policy of the pages refuses it.
document.addEventListener('change', event => {
  if (event.target.matches('[data-submits-on-change]')) event.target.form.requestSubmit();
});
