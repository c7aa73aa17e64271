"""The memory page of the person whose memory it is: a link, a session, `/v1/me` and pages of HTML (SPEC A-4).

`reading` and `doing` are what both ways in share; both call services and selectors that the console and the API call.
"""
