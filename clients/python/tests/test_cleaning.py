import unittest

from sandbox_gateway._cleaning import _LIKE_A_KEY

SECRET = "k" * 42


class WhatLooksLikeACredential(unittest.TestCase):
    def test_of_any_team_is_taken_out_and_a_plain_name_is_not(self):
        for beginning in ("svc_test_", "SVC_LIVE_", "acme_test_", "twelveletter_live_", "svc_mgmt_"):
            text = f"For load_test_order1 it was {beginning}{SECRET}."
            self.assertEqual(_LIKE_A_KEY.sub("…", text), "For load_test_order1 it was ….")
