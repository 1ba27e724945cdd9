/** Loaded before a gateway: its clock differs from the machine's by an amount that its parent sets. */
const machineNow = Date.now;
let shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS);
Date.now = () => machineNow() + shiftMs;

process.on('message', (message) => {
  shiftMs = message.shiftMs;
  process.send(message);
});
process.channel?.unref();
