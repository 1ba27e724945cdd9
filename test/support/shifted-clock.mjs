/** Loaded before a gateway: its clock runs beside the machine's, by so much as whoever forked it says. */
const machineNow = Date.now;
let shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS);
Date.now = () => machineNow() + shiftMs;

process.on('message', (message) => {
  shiftMs = message.shiftMs;
  process.send(message);
});
// Whoever forked it is gone, killed with -9 perhaps.
process.on('disconnect', () => process.exit(1));
process.channel.unref();
